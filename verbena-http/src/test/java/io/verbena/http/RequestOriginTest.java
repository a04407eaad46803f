// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequestOriginTest {
    private static final Set<String> TRUSTED = Set.of("https://console.example", "http://a.b:80");

    private static HttpHeaders headers(String... namesAndValues) {
        HttpHeaders headers = new HttpHeaders();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            headers.add(namesAndValues[i], namesAndValues[i + 1]);
        }
        return headers;
    }

    private static boolean mayAct(String... namesAndValues) {
        return new RequestOrigin(TRUSTED, false)
                .objectionToAction(headers(namesAndValues))
                .isEmpty();
    }

    private static boolean mayRead(String... namesAndValues) {
        return new RequestOrigin(TRUSTED, false)
                .objectionToReading(headers(namesAndValues))
                .isEmpty();
    }

    @Test
    void shouldAcceptClientsThatAreNoBrowsers() {
        assertThat(mayAct("Host", "anything.example")).isTrue();
        assertThat(mayAct("Host", "h", "User-Agent", "curl/8")).isTrue();
        assertThat(mayRead()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.7:8000, http://10.0.0.7:8000, true",
        "10.0.0.7:8000, https://10.0.0.7:8000, true",
        "localhost, http://localhost:80, true",
        "LOCALHOST:443, https://localhost, true",
        "[::1]:8000, http://[::1]:8000, true",
        "build7:8000, http://build7:8000, true",
        "10.0.0.7:8000, http://10.0.0.7:8001, false",
        "10.0.0.7:8000, http://10.0.0.7, false",
        "10.0.0.7:8000, http://evil.example, false",
        "10.0.0.7:8000, null, false",
        "10.0.0.7:8000, '', false",
        "10.0.0.7:8000, file://10.0.0.7:8000, false",
        "10.0.0.7:8000, http://10.0.0.7:8000/, false",
        "10.0.0.7:8000, http://x@10.0.0.7:8000, false",
        "10.0.0.7:8000, https://console.example, true",
        "10.0.0.7:8000, https://console.example.evil.example, false",
        "evil.example:8000, http://evil.example:8000, false",
        "a.b:80, http://a.b:80, true"
    })
    void shouldCompareOriginAndHost(String host, String origin, boolean expected) {
        assertThat(mayAct("Host", host, "Origin", origin)).isEqualTo(expected);
        assertThat(mayRead("Host", host, "Origin", origin)).isEqualTo(expected);
    }

    @Test
    void shouldRefuseOneForeignOriginAmongSeveral() {
        assertThat(
                        mayAct(
                                "Host", "1.2.3.4",
                                "Origin", "http://1.2.3.4",
                                "Origin", "http://evil.example"))
                .isFalse();
    }

    @Test
    void shouldBelieveWhatBrowsersSayAboutTheSite() {
        assertThat(mayAct("Host", "1.2.3.4", "Sec-Fetch-Site", "same-origin")).isTrue();
        assertThat(mayAct("Host", "1.2.3.4", "Sec-Fetch-Site", "none")).isTrue();
        assertThat(mayAct("Host", "1.2.3.4", "Sec-Fetch-Site", "same-site")).isFalse();
        assertThat(mayAct("Host", "1.2.3.4", "Sec-Fetch-Site", "cross-site")).isFalse();
        assertThat(
                        mayAct(
                                "Host", "1.2.3.4",
                                "Sec-Fetch-Site", "cross-site",
                                "Origin", "https://console.example"))
                .isTrue();
    }

    @Test
    void shouldLookAtTheRefererIfThereIsNoOrigin() {
        assertThat(mayAct("Host", "1.2.3.4:8", "Referer", "http://1.2.3.4:8/flags?a")).isTrue();
        assertThat(mayAct("Host", "1.2.3.4:8", "Referer", "http://evil.example/")).isFalse();
        assertThat(mayAct("Host", "1.2.3.4:8", "Referer", "about:blank")).isFalse();
    }

    @Test
    void shouldLetLinksLeadHereButLoadNothing() {
        assertThat(mayRead("Host", "1.2.3.4", "Referer", "http://wiki.example/")).isTrue();
        assertThat(
                        mayRead(
                                "Host", "1.2.3.4",
                                "Sec-Fetch-Site", "cross-site",
                                "Sec-Fetch-Mode", "navigate",
                                "Sec-Fetch-Dest", "document"))
                .isTrue();
        assertThat(
                        mayRead(
                                "Host", "1.2.3.4",
                                "Sec-Fetch-Site", "cross-site",
                                "Sec-Fetch-Mode", "navigate",
                                "Sec-Fetch-Dest", "iframe"))
                .isFalse();
        assertThat(
                        mayRead(
                                "Host", "1.2.3.4",
                                "Sec-Fetch-Site", "cross-site",
                                "Sec-Fetch-Mode", "no-cors",
                                "Sec-Fetch-Dest", "script"))
                .isFalse();
    }

    @Test
    void shouldRefuseNamesThatAnyoneCanRegister() {
        String browser = "Mozilla/5.0";
        assertThat(mayRead("Host", "rebound.evil.example:80", "User-Agent", browser)).isFalse();
        assertThat(mayRead("Host", "127.0.0.1.evil.example", "User-Agent", browser)).isFalse();
        assertThat(mayRead("User-Agent", browser)).isFalse();
        assertThat(mayRead("Host", "console.example", "User-Agent", browser)).isTrue();
        assertThat(mayRead("Host", "my.localhost:1", "User-Agent", browser)).isTrue();
    }

    @Test
    void shouldLeaveNamesToCertificates() {
        RequestOrigin encrypted = new RequestOrigin(Set.of(), true);

        assertThat(
                        encrypted.objectionToAction(
                                headers("Host", "a.example", "Origin", "https://a.example")))
                .isEmpty();
        assertThat(
                        encrypted.objectionToAction(
                                headers("Host", "a.example", "Origin", "http://a.example")))
                .isPresent();
    }
}
