// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import io.verbena.rpc.Addresses;
import io.verbena.rpc.spi.ClusterStatus;
import java.util.Comparator;
import java.util.List;

/** The servers that this process calls through registries, and which of them get calls. */
final class ClustersPage implements Page {
    private static final List<String> COLUMNS = List.of("server", "tag", "weight", "state");

    @Override
    public String name() {
        return "clusters";
    }

    @Override
    public String description() {
        return "servers that this process calls through registries";
    }

    @Override
    public PageContent show(PageRequest request) {
        Document document = new Document("clusters");
        request.server().clusters().stream()
                .sorted(Comparator.comparing(ClusterStatus::name))
                .forEach(cluster -> document.table(title(cluster), COLUMNS, rows(cluster)));
        return document;
    }

    private static String title(ClusterStatus cluster) {
        return cluster.problem().isEmpty()
                ? cluster.name()
                : cluster.name() + " (last good list: " + cluster.problem() + ")";
    }

    private static List<List<Object>> rows(ClusterStatus cluster) {
        return cluster.members().stream()
                .map(
                        member ->
                                List.<Object>of(
                                        Addresses.text(member.server().address()),
                                        member.server().tag(),
                                        member.server().weight(),
                                        member.isAvailable() ? "available" : "left out"))
                .toList();
    }
}
