// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import io.verbena.memory.IOBuf;

/**
 * A request. Whoever has it gives back the memory of its body.
 *
 * @param head request line and headers
 * @param body decoded, if it came in chunks
 */
record HttpRequest(HttpHead head, IOBuf body) {}
