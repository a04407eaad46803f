// SPDX-License-Identifier: Apache-2.0
/** The balancers that come with the module, by brpc's names. Uses only the extension points. */
package io.verbena.rpc.balance;
