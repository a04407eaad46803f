// SPDX-License-Identifier: Apache-2.0
/** The naming services that come with the module. Uses only the extension points. */
package io.verbena.rpc.naming;
