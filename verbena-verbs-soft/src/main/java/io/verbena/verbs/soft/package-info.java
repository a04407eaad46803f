// SPDX-License-Identifier: Apache-2.0

/** An RDMA device in software, for the processes of one user on one host. */
package io.verbena.verbs.soft;
