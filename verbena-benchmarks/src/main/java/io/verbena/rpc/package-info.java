// SPDX-License-Identifier: Apache-2.0
/** What benchmarks need of the package of the same name. */
package io.verbena.rpc;
