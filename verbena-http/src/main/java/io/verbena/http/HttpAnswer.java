// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import io.verbena.memory.IOBuf;

/**
 * A response that has arrived.
 *
 * @param head status line and headers
 * @param body belongs to whoever has this
 */
record HttpAnswer(ResponseHead head, IOBuf body) {}
