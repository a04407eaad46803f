// SPDX-License-Identifier: Apache-2.0
package sample;

import io.verbena.rpc.Call;
import org.springframework.stereotype.Component;
import sample.proto.Greeting;
import sample.proto.GreetingService;
import sample.proto.Name;

/** A bean that implements a generated interface is served. */
@Component
class Greeter implements GreetingService {
    @Override
    public Greeting greet(Call call, Name name) {
        return Greeting.newBuilder().setText("Hello " + name.getName()).build();
    }
}
