// SPDX-License-Identifier: Apache-2.0

/** An RDMA device in software. */
package io.verbena.verbs.soft;
