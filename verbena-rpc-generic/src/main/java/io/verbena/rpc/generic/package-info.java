// SPDX-License-Identifier: Apache-2.0
/**
 * Services and stubs that protoc generates with {@code java_generic_services}, on RPC servers and
 * channels. For code that has them already: protoc warns about the option and will drop it, and new
 * code has more from {@code verbena-protoc}.
 *
 * {@snippet :
 * server.add(GenericServices.of(new EchoImplementation()));
 *
 * GenericChannel generic = new GenericChannel(channel);
 * EchoService.BlockingInterface stub = EchoService.newBlockingStub(generic);
 * try (GenericClientController controller = generic.newController()) {
 *     EchoResponse response = stub.echo(controller, request);
 * }
 * }
 */
package io.verbena.rpc.generic;
