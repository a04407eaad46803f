// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import java.util.List;

/** All pages. */
final class IndexPage implements Page {
    private final List<Page> pages;

    IndexPage(List<Page> pages) {
        this.pages = List.copyOf(pages);
    }

    @Override
    public String name() {
        return "index";
    }

    @Override
    public String description() {
        return "these pages";
    }

    @Override
    public PageContent show(PageRequest request) {
        List<List<Object>> rows =
                pages.stream()
                        .map(
                                page ->
                                        List.<Object>of(
                                                new Document.Link(
                                                        "/" + page.name(), "/" + page.name()),
                                                page.description()))
                        .toList();
        return new Document("verbena").table("pages", List.of("page", "tells"), rows);
    }
}
