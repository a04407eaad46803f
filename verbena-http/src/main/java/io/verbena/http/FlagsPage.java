// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import io.verbena.rpc.spi.FlagRegistry;
import io.verbena.rpc.spi.FlagRegistry.Entry;
import io.verbena.transport.Flag;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The flags of the process; administrators change one by {@code POST /flags/name}. */
final class FlagsPage implements ChangeablePage {
    private static final Logger LOG = LoggerFactory.getLogger(FlagsPage.class);
    private static final List<String> COLUMNS =
            List.of("name", "value", "default", "range", "unit", "changeable", "meaning");
    private static final String NEW_VALUE = "setvalue";

    @Override
    public String name() {
        return "flags";
    }

    @Override
    public String description() {
        return "flags by name; POST setvalue=VALUE to /flags/NAME changes one";
    }

    @Override
    public PageContent show(PageRequest request) throws RefusedRequestException {
        if (request.parameter(NEW_VALUE).isPresent()) {
            throw new RefusedRequestException(
                    HttpStatus.METHOD_NOT_ALLOWED, "flags: changed by POST only");
        }
        FlagRegistry flags = request.server().flags();
        return request.below().isEmpty()
                ? table(flags.entries())
                : table(List.of(find(flags, request)));
    }

    private static Entry find(FlagRegistry flags, PageRequest request)
            throws RefusedRequestException {
        Optional<Entry> found = flags.find(request.below());
        if (found.isEmpty()) {
            throw PageRequest.notFound("flag: unknown (expected: a name listed by /flags)");
        }
        return found.get();
    }

    @Override
    public PageContent change(PageRequest request) throws RefusedRequestException {
        FlagRegistry flags = request.server().flags();
        Entry before = find(flags, request);
        Optional<String> value = request.parameter(NEW_VALUE);
        if (value.isEmpty()) {
            throw RefusedRequestException.bad("parameter: setvalue is missing");
        }
        set(flags, before, value.get());
        Entry after = find(flags, request);
        LOG.info(
                "{} changed {} from {} to {}",
                request.client(),
                after.flag().flagName(),
                before.value(),
                after.value());
        return table(List.of(after));
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
            // without the value: answers repeat nothing of a request
            throw RefusedRequestException.bad(name + ": not " + allowed(entry.flag()));
        }
    }

    private static String allowed(Flag flag) {
        return switch (flag.initialValue()) {
            case Long _ -> "a number in " + range(flag);
            case Boolean _ -> "true or false";
            default -> "a value that it may have";
        };
    }

    private static String range(Flag flag) {
        return flag.initialValue() instanceof Long
                ? flag.setting().least() + ".." + flag.setting().most()
                : "";
    }

    private static Document table(List<Entry> entries) {
        return new Document("flags")
                .table("flags", COLUMNS, entries.stream().map(FlagsPage::row).toList());
    }

    private static List<Object> row(Entry entry) {
        String name = entry.flag().flagName();
        return List.of(
                new Document.Link(name, "/flags/" + name),
                entry.value(),
                entry.flag().initialValue(),
                range(entry.flag()),
                FlagMeanings.unit(name),
                entry.isChangeable(),
                FlagMeanings.meaning(name));
    }
}
