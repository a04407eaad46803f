// SPDX-License-Identifier: Apache-2.0
/** A door to a class of gRPC that is not public, to measure it. */
package io.grpc.util;
