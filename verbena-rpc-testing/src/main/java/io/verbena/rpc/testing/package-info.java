// SPDX-License-Identifier: Apache-2.0
/** Tests that every protocol beside {@code baidu_std} passes: its module extends them. */
package io.verbena.rpc.testing;
