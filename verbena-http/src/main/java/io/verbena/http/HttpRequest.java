// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import io.verbena.memory.IOBuf;

/**
 * A request. Its owner releases the memory of the body.
 *
 * @param head request line and headers
 * @param body decoded, if it came in chunks
 */
record HttpRequest(HttpHead head, IOBuf body) {}
