// SPDX-License-Identifier: Apache-2.0
package io.verbena.spring;

import io.verbena.rpc.ClientInterceptor;
import io.verbena.rpc.RpcNode;
import io.verbena.rpc.RpcService;
import io.verbena.rpc.ServerInterceptor;
import java.util.Properties;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/**
 * The node of an application, its channels, and a server for its services. A bean of the same type
 * that the application defines itself takes precedence.
 */
@AutoConfiguration
@EnableConfigurationProperties(VerbenaProperties.class)
public class VerbenaAutoConfiguration {
    /** Made by Spring. */
    public VerbenaAutoConfiguration() {}

    /**
     * {@return the node}
     *
     * @param properties of the application
     */
    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    public RpcNode verbenaNode(VerbenaProperties properties) {
        Properties flags = new Properties();
        System.getProperties()
                .stringPropertyNames()
                .forEach(name -> flags.setProperty(name, System.getProperty(name)));
        properties.flags().forEach((key, value) -> flags.setProperty(FlagNames.of(key), value));
        return RpcNode.open(properties.mode(), flags);
    }

    /**
     * {@return the server, which starts and stops with the application}
     *
     * @param node the node
     * @param properties of the application
     * @param services what it serves
     * @param interceptors around every call, in their order
     */
    @Bean
    @ConditionalOnBean(RpcService.class)
    @ConditionalOnMissingBean
    @ConditionalOnProperty(prefix = "verbena.server", name = "enabled", matchIfMissing = true)
    public VerbenaServer verbenaServer(
            RpcNode node,
            VerbenaProperties properties,
            ObjectProvider<RpcService> services,
            ObjectProvider<ServerInterceptor> interceptors) {
        return new VerbenaServer(
                node,
                properties,
                services.orderedStream().toList(),
                interceptors.orderedStream().toList());
    }

    /**
     * {@return makes a bean of each channel; static, since it runs before other beans exist}
     *
     * @param environment has the properties
     * @param node the node, made when the first channel is
     * @param interceptors around every call, in their order
     */
    @Bean
    static ChannelRegistrar verbenaChannels(
            Environment environment,
            ObjectProvider<RpcNode> node,
            ObjectProvider<ClientInterceptor> interceptors) {
        return new ChannelRegistrar(environment, node, interceptors);
    }
}
