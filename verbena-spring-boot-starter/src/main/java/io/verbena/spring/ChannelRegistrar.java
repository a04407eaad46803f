// SPDX-License-Identifier: Apache-2.0
package io.verbena.spring;

import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.ClientInterceptor;
import io.verbena.rpc.RpcNode;
import io.verbena.spring.VerbenaProperties.ChannelSettings;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.support.BeanDefinitionBuilder;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/** Makes a bean of each channel that the properties name. */
final class ChannelRegistrar implements BeanDefinitionRegistryPostProcessor {
    private final VerbenaProperties properties;
    private final ObjectProvider<RpcNode> node;
    private final ObjectProvider<ClientInterceptor> interceptors;

    ChannelRegistrar(
            Environment environment,
            ObjectProvider<RpcNode> node,
            ObjectProvider<ClientInterceptor> interceptors) {
        this.properties = Binder.get(environment).bindOrCreate("verbena", VerbenaProperties.class);
        this.node = node;
        this.interceptors = interceptors;
    }

    @Override
    public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
        for (Map.Entry<String, ChannelSettings> channel : properties.channels().entrySet()) {
            registry.registerBeanDefinition(
                    channel.getKey(),
                    BeanDefinitionBuilder.genericBeanDefinition(
                                    Channel.class, () -> open(channel.getValue()))
                            .setDestroyMethodName("close")
                            .getBeanDefinition());
        }
    }

    private Channel open(ChannelSettings settings) {
        ChannelOptions options =
                ChannelOptions.DEFAULT
                        .withSocketMode(properties.mode())
                        .withTimeoutMs(Math.toIntExact(settings.timeout().toMillis()))
                        .withConnectTimeoutMs(Math.toIntExact(settings.connectTimeout().toMillis()))
                        .withMaxRetry(settings.maxRetry())
                        .withInterceptors(
                                interceptors.orderedStream().toArray(ClientInterceptor[]::new));
        return settings.balancer().isEmpty()
                ? Channel.open(node.getObject(), settings.address(), options)
                : Channel.open(node.getObject(), settings.address(), settings.balancer(), options);
    }
}
