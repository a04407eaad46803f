// SPDX-License-Identifier: Apache-2.0
/**
 * The system's RDMA devices, through libibverbs and librdmacm.
 *
 * <p>From the bottom up: {@link io.verbena.verbs.ibv.NativeLibrary} finds libraries and symbols;
 * {@code Libc} and {@code Ibverbs} have one method per C function; {@code IbvLayout} describes the
 * C structures, which a test compares with the headers; {@code DescriptorWatcher} waits for file
 * descriptors, so that threads only park; the classes named after verbs objects implement the verbs
 * API.
 */
package io.verbena.verbs.ibv;
