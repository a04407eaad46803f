// SPDX-License-Identifier: Apache-2.0
/**
 * HTTP/1.1 on the server's port: calls of the services with JSON or protobuf bodies, and the pages
 * that show the server's state.
 */
package io.verbena.http;
