// SPDX-License-Identifier: Apache-2.0
package sample;

import io.verbena.rpc.Channel;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import sample.proto.GreetingServiceClient;

/** An application that serves greetings, and can call the service itself. */
@SpringBootApplication
public class Application {
    /** Starts it; the properties say where it listens. */
    public static void main(String[] args) {
        SpringApplication.run(Application.class, args);
    }

    @Bean
    GreetingServiceClient greetingClient(Channel greetings) {
        return new GreetingServiceClient(greetings);
    }
}
