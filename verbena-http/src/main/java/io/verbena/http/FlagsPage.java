// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import io.verbena.rpc.spi.FlagRegistry;
import io.verbena.rpc.spi.FlagRegistry.Entry;
import java.util.List;
import java.util.Optional;

/** The flags of the process; {@code /flags/name?setvalue=text} changes one. */
final class FlagsPage implements Page {
    private static final List<String> COLUMNS =
            List.of("name", "value", "default", "range", "changeable");

    @Override
    public String name() {
        return "flags";
    }

    @Override
    public String description() {
        return "flags by name; /flags/NAME?setvalue=VALUE changes one";
    }

    @Override
    public PageContent show(PageRequest request) throws RefusedRequestException {
        FlagRegistry flags = request.server().flags();
        if (request.below().isEmpty()) {
            return table(flags.entries());
        }
        Optional<Entry> found = flags.find(request.below());
        if (found.isEmpty()) {
            throw PageRequest.notFound("flag: unknown (expected: a name listed by /flags)");
        }
        Optional<String> value = request.parameter("setvalue");
        if (value.isPresent()) {
            set(flags, found.get(), value.get());
        }
        return table(List.of(flags.find(request.below()).orElse(found.get())));
    }

    private static void set(FlagRegistry flags, Entry entry, String value)
            throws RefusedRequestException {
        String name = entry.flag().flagName();
        if (!entry.isChangeable()) {
            throw new RefusedRequestException(
                    HttpStatus.FORBIDDEN,
                    name + ": needs a restart: it cannot be changed while the process runs");
        }
        try {
            flags.set(name, value);
        } catch (IllegalArgumentException e) {
            throw RefusedRequestException.bad(e.getMessage());
        }
    }

    private static Document table(List<Entry> entries) {
        return new Document("flags")
                .table("flags", COLUMNS, entries.stream().map(FlagsPage::row).toList());
    }

    private static List<Object> row(Entry entry) {
        String name = entry.flag().flagName();
        boolean isNumber = entry.value() instanceof Long;
        return List.of(
                new Document.Link(name, "/flags/" + name),
                entry.value(),
                entry.flag().initialValue(),
                isNumber
                        ? entry.flag().setting().least() + ".." + entry.flag().setting().most()
                        : "",
                entry.isChangeable());
    }
}
