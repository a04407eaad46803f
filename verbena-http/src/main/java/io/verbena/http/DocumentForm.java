// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import java.util.function.Function;

/** The ways to show a document. */
enum DocumentForm {
    TEXT("text/plain; charset=utf-8", TextForm::render),
    HTML("text/html; charset=utf-8", HtmlForm::render),
    JSON("application/json", JsonForm::render);

    private final String contentType;

    @SuppressWarnings("ImmutableEnumChecker") // without state
    private final Function<Document, String> renderer;

    DocumentForm(String contentType, Function<Document, String> renderer) {
        this.contentType = contentType;
        this.renderer = renderer;
    }

    /**
     * {@return the form a client wants: by the parameter {@code format}, else by what it accepts,
     * else text}
     */
    static DocumentForm wantedBy(HttpHead head) {
        String format = head.target().parameter("format").orElse("");
        if (format.equals("json")) {
            return JSON;
        }
        if (format.equals("text") || head.target().parameter("console").isPresent()) {
            return TEXT;
        }
        String accepted = String.join(",", head.headers().all("accept"));
        if (format.equals("html") || accepted.contains("text/html")) {
            return HTML;
        }
        return accepted.contains("application/json") ? JSON : TEXT;
    }

    String contentType() {
        return contentType;
    }

    String render(Document document) {
        return renderer.apply(document);
    }
}
