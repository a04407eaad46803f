// SPDX-License-Identifier: Apache-2.0
package io.verbena.spring;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.verbena.micrometer.CallMetrics;
import io.verbena.micrometer.NodeMetrics;
import io.verbena.rpc.RpcNode;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Metrics, for applications with Micrometer and {@code verbena-micrometer}. */
@AutoConfiguration(
        after = VerbenaAutoConfiguration.class,
        afterName =
                "org.springframework.boot.micrometer.metrics.autoconfigure"
                        + ".CompositeMeterRegistryAutoConfiguration")
@ConditionalOnClass({CallMetrics.class, MeterRegistry.class})
public class VerbenaMetricsAutoConfiguration {
    /** Made by Spring. */
    public VerbenaMetricsAutoConfiguration() {}

    /**
     * {@return the times and results of calls, on servers and channels}
     *
     * @param registry where they are collected
     */
    @Bean
    @ConditionalOnBean(MeterRegistry.class)
    @ConditionalOnMissingBean
    public CallMetrics verbenaCallMetrics(MeterRegistry registry) {
        return new CallMetrics(registry);
    }

    /**
     * {@return the memory and the calls under way of the node; Spring Boot binds it}
     *
     * @param node the node
     */
    @Bean
    @ConditionalOnBean(RpcNode.class)
    @ConditionalOnMissingBean(name = "verbenaNodeMetrics")
    public MeterBinder verbenaNodeMetrics(RpcNode node) {
        return new NodeMetrics(node);
    }
}
