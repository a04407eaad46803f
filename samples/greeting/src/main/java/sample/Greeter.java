// SPDX-License-Identifier: Apache-2.0
package sample;

import io.verbena.rpc.Call;
import io.verbena.rpc.RpcError;
import io.verbena.rpc.RpcException;
import sample.proto.Greeting;
import sample.proto.GreetingService;
import sample.proto.Name;

/** Greets people who have a name. */
final class Greeter implements GreetingService {
    @Override
    public Greeting greet(Call call, Name name) {
        if (name.getName().isEmpty()) {
            throw new RpcException(RpcError.EINVAL, "nobody to greet");
        }
        return Greeting.newBuilder().setText("Hello " + name.getName()).build();
    }
}
