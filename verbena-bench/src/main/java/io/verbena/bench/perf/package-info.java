// SPDX-License-Identifier: Apache-2.0

/**
 * {@code verbena perf}: brpc's {@code rdma_performance}, with its service, its flags and its
 * output. Either side may be that program.
 */
package io.verbena.bench.perf;
