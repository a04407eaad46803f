// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

/** What a page shows. */
sealed interface PageContent permits Document, RawContent {}
