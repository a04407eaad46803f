// SPDX-License-Identifier: Apache-2.0
package io.verbena.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** That documents name classes, files and numbers as they are. */
final class DocumentsTest {
    private static final int FEWEST_STOPS = 30;

    private static NamedTypes types;

    @BeforeAll
    static void readSources() throws IOException {
        types = NamedTypes.read();
    }

    static List<Document> documents() throws IOException {
        return Document.all();
    }

    private static Document document(String path) throws IOException {
        return Document.read(Document.ROOT.resolve(path));
    }

    @Test
    void shouldTourTheMainSources() throws IOException {
        Document tour = document("docs/tour.md");

        assertThat(NamedTypes.names(tour)).hasSizeGreaterThan(FEWEST_STOPS);
        assertThat(types.complaints(tour, NamedTypes.Scope.MAIN_SOURCES)).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("documents")
    void shouldNameTypesThatExist(Document document) {
        assertThat(types.complaints(document, NamedTypes.Scope.ALL_SOURCES)).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("documents")
    void shouldLinkToWhatExists(Document document) throws IOException {
        assertThat(DocumentLinks.complaints(document)).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("documents")
    void shouldHaveTheNumbersOfTheCode(Document document) {
        assertThat(CheckedNumbers.of(document).complaints()).isEmpty();
    }

    /** A check that looks at nothing always passes. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "docs/architecture.md",
                "docs/concurrency.md",
                "docs/transport-datapath.md",
                "docs/rpc.md",
                "docs/tour.md",
            })
    void shouldHaveNumbersThatAreChecked(String path) throws IOException {
        assertThat(CheckedNumbers.of(document(path)).checked()).as(path).isPositive();
    }

    @Test
    void shouldKnowTypesAndMembers() {
        Document document =
                Document.invented(
                        "`Turn`, `Turn.tryEnter`, `spi.ProtocolProvider`, `SendQueue.append`,",
                        "`Outbound.ResultSink`, `Outbound.ResultSink.place`,",
                        "`IOBuf.append(bytes)`, `rdma_sq_size`, `README.md`, `RDMA`");

        assertThat(types.complaints(document, NamedTypes.Scope.MAIN_SOURCES)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "NoSuchType",
                "Turn.noSuchMember",
                "wire.Turn",
                "NoSuchType.tryEnter",
                "Turn.noSuchMember()",
            })
    void shouldComplainOfNamesThatDoNotExist(String name) {
        Document document = Document.invented("first line", "see `" + name + "`");

        assertThat(types.complaints(document, NamedTypes.Scope.ALL_SOURCES))
                .singleElement()
                .asString()
                .startsWith("docs/invented.md:2: `" + name + "`: ");
    }

    @Test
    void shouldComplainOfTestsInTheTour() {
        Document document = Document.invented("`ArchitectureTest`");

        assertThat(types.complaints(document, NamedTypes.Scope.ALL_SOURCES)).isEmpty();
        assertThat(types.complaints(document, NamedTypes.Scope.MAIN_SOURCES)).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"no-such-page.md", "../no/such/File.java", "#no-such-heading"})
    void shouldComplainOfLinksToNowhere(String link) throws IOException {
        Document document = Document.invented("# Heading", "", "[text](" + link + ")");

        assertThat(DocumentLinks.complaints(document))
                .singleElement()
                .asString()
                .startsWith("docs/invented.md:3: " + link + ": ");
    }

    @Test
    void shouldFollowLinks() throws IOException {
        Document document =
                Document.invented(
                        "## Two words, and a comma",
                        "[a](#two-words-and-a-comma) [b](../README.md) [c](https://example.org/x)",
                        "```",
                        "[d](in-a-block.md)",
                        "```");

        assertThat(DocumentLinks.complaints(document)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127<!--=io.verbena.verbs.soft.RingLayout.SLOTS-->",
                "128 KiB<!--=io.verbena.verbs.soft.RingLayout.SLOTS-->",
                "128<!--=io.verbena.verbs.soft.RingLayout.NO_SUCH_CONSTANT-->",
                "128<!--=io.verbena.verbs.soft.NoSuchType.SLOTS-->",
                "128<!--=SLOTS-->",
                "slots<!--=io.verbena.verbs.soft.RingLayout.SLOTS-->",
                "<!--=128 io.verbena.verbs.soft.RingLayout.SLOTS-->",
            })
    void shouldComplainOfWrongNumbers(String text) {
        Document document = Document.invented("```", "1281 slots", "```", text);

        assertThat(CheckedNumbers.of(document).complaints())
                .singleElement()
                .asString()
                .startsWith("docs/invented.md:4: ");
    }

    @Test
    void shouldKnowNumbers() {
        Document document =
                Document.invented(
                        "128<!--=io.verbena.verbs.soft.RingLayout.SLOTS--> slots of",
                        "512<!--=io.verbena.transport.TransportFlag.RDMA_ZEROCOPY_MIN_SIZE-->,",
                        "256 KiB<!--=io.verbena.verbs.soft.RingLayout.MAX_DESCRIBED--> and",
                        "16,384<!--=io.verbena.verbs.soft.ControlLayout.MAX_INDEX-->",
                        "```",
                        "blocks of 8576 bytes",
                        "```",
                        "<!--=8576 io.verbena.verbs.soft.RingLayout.BLOCK_BYTES-->");
        CheckedNumbers numbers = CheckedNumbers.of(document);

        assertThat(numbers.complaints()).isEmpty();
        assertThat(numbers.checked()).isEqualTo(5);
    }
}
