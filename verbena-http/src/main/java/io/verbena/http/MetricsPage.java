// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

/** All numbers in the format of Prometheus. */
final class MetricsPage implements Page {
    private static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private final Variables variables;

    MetricsPage(Variables variables) {
        this.variables = variables;
    }

    @Override
    public String name() {
        return "brpc_metrics";
    }

    @Override
    public String description() {
        return "all numbers, for Prometheus";
    }

    @Override
    public PageContent show(PageRequest request) {
        StringBuilder text = new StringBuilder();
        for (Variable variable : variables.read(request.server())) {
            text.append("# HELP ").append(variable.name()).append(' ').append(variable.help());
            text.append("\n# TYPE ").append(variable.name());
            text.append(variable.isCounter() ? " counter\n" : " gauge\n");
            text.append(variable.name()).append(' ').append(variable.value()).append('\n');
        }
        return new RawContent(CONTENT_TYPE, RawContent.text(text.toString()).bytes());
    }
}
