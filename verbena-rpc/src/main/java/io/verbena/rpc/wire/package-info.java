// SPDX-License-Identifier: Apache-2.0
/**
 * The bytes of {@code baidu_std}: frame, meta, compression and checksum. Knows nothing about calls
 * or connections, and depends on no other package of the module.
 */
package io.verbena.rpc.wire;
