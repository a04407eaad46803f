// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DocumentFormTest {
    private static final String EVIL = "</td><script>alert('1')&\"</script>\n";

    private static Document document() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("count", 3);
        fields.put("name" + EVIL, EVIL);
        return new Document(EVIL)
                .fields("part", fields)
                .table(
                        "list",
                        List.of("id", "text"),
                        List.of(
                                List.of(new Document.Link("1", "/x?\"><script>"), EVIL),
                                List.of(new Document.Link("222", "/y"), true)));
    }

    @Test
    void shouldEscapeEverythingInHtml() {
        String html = DocumentForm.HTML.render(document());

        assertThat(html).doesNotContain("<script", "alert('").contains("&lt;script&gt;");
        assertThat(html).contains("<a href=\"/x?&quot;&gt;&lt;script&gt;\">1</a>");
    }

    @Test
    void shouldAlignColumnsAndKeepValuesOnOneLine() {
        String text = DocumentForm.TEXT.render(document());

        assertThat(text).contains("part\ncount: 3\n").contains("\nlist\nid   text\n1    <");
        assertThat(text.lines()).hasSize(8).contains("222  true");
    }

    @Test
    void shouldBeJsonThatCanBeRead() {
        var json = JsonParser.parseString(DocumentForm.JSON.render(document())).getAsJsonObject();

        assertThat(json.getAsJsonObject("part").get("count").getAsInt()).isEqualTo(3);
        assertThat(json.getAsJsonObject("part").get("name" + EVIL).getAsString()).isEqualTo(EVIL);
        assertThat(json.getAsJsonArray("list").get(1).getAsJsonObject().get("text").getAsBoolean())
                .isTrue();
    }

    @Test
    void shouldChooseWhatTheClientWants() throws RefusedRequestException {
        assertThat(form("/", "*/*")).isEqualTo(DocumentForm.TEXT);
        assertThat(form("/", "text/html,application/xml;q=0.9")).isEqualTo(DocumentForm.HTML);
        assertThat(form("/?console=1", "text/html")).isEqualTo(DocumentForm.TEXT);
        assertThat(form("/", "application/json")).isEqualTo(DocumentForm.JSON);
        assertThat(form("/?format=json", "text/html")).isEqualTo(DocumentForm.JSON);
    }

    private static DocumentForm form(String target, String accept) throws RefusedRequestException {
        HttpHeaders headers = new HttpHeaders();
        headers.add("Accept", accept);
        return DocumentForm.wantedBy(
                new HttpHead(HttpMethod.GET, HttpTarget.parse(target), 1, headers));
    }
}
