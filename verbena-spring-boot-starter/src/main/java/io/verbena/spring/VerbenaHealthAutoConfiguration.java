// SPDX-License-Identifier: Apache-2.0
package io.verbena.spring;

import io.verbena.rpc.RpcNode;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** Health, for applications with Spring Boot's health module: the indicator {@code verbena}. */
@AutoConfiguration(after = VerbenaAutoConfiguration.class)
@ConditionalOnClass(HealthIndicator.class)
public class VerbenaHealthAutoConfiguration {
    /** Made by Spring. */
    public VerbenaHealthAutoConfiguration() {}

    /**
     * {@return the indicator}
     *
     * @param node the node
     * @param server the server, if there is one
     */
    @Bean
    @ConditionalOnBean(RpcNode.class)
    @ConditionalOnMissingBean(name = "verbenaHealthIndicator")
    public HealthIndicator verbenaHealthIndicator(
            RpcNode node, ObjectProvider<VerbenaServer> server) {
        return new VerbenaHealth(node, server);
    }
}
