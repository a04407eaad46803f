// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.perf;

import io.verbena.memory.BlockPoolOptions;
import io.verbena.rpc.FlagSource;
import io.verbena.rpc.RpcFlag;
import io.verbena.transport.Flag;
import io.verbena.transport.TransportFlag;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;

/**
 * Arguments in the style of gflags, which brpc's programs use: {@code -name=value}, {@code -name
 * value}, with one or two hyphens; {@code -name} and {@code -noname} for switches; {@code
 * -flagfile=FILE}.
 */
final class Gflags {
    private static final Set<String> POOL_FLAGS =
            Set.of(
                    BlockPoolOptions.INITIAL_SIZE_MB,
                    BlockPoolOptions.INCREASE_SIZE_MB,
                    BlockPoolOptions.MAX_REGIONS,
                    BlockPoolOptions.BUCKETS,
                    BlockPoolOptions.TLS_CACHE_NUM,
                    BlockPoolOptions.RECEIVE_RESERVE_PERCENT,
                    BlockPoolOptions.REGION_IDLE_SEC);
    private static final String FILE = "flagfile";

    private final Map<String, Flag> flags = new HashMap<>();

    /**
     * The flags of the transport, the memory pool and RPC, and those of a program.
     *
     * @param own the flags of the program
     */
    Gflags(Flag... own) {
        add(TransportFlag.values());
        add(RpcFlag.values());
        add(own);
    }

    private void add(Flag... added) {
        for (Flag flag : added) {
            flags.put(flag.flagName(), flag);
        }
    }

    /**
     * {@return the values by the names of the flags, and the system properties}
     *
     * @param arguments as they were typed
     * @throws IllegalArgumentException if one is not a flag, or has a value out of range
     * @throws IOException if the file with flags cannot be read
     */
    Properties parse(List<String> arguments) throws IOException {
        List<String> plain = new ArrayList<>();
        for (int i = 0; i < arguments.size(); i++) {
            String word = withoutHyphens(arguments.get(i));
            if (word.indexOf('=') >= 0) {
                plain.add(word);
            } else if (switchNamed(word).isEmpty()) {
                require(i + 1 < arguments.size(), word + ": no value (expected: -name=value)");
                plain.add(word + "=" + arguments.get(++i));
            } else {
                plain.add(switchNamed(word));
            }
        }
        plain.forEach(this::check);
        return FlagSource.of(plain.stream().map(text -> "--" + text).toArray(String[]::new))
                .values();
    }

    private static String withoutHyphens(String argument) {
        require(
                argument.startsWith("-") && argument.length() > 1,
                argument + ": not a flag (expected: -name=value)");
        return argument.substring(argument.startsWith("--") ? 2 : 1);
    }

    /** {@return the meaning of a word without a value, if it is a switch; otherwise nothing} */
    private String switchNamed(String word) {
        if (isSwitch(word)) {
            return word + "=true";
        }
        String negated = word.startsWith("no") ? word.substring(2) : "";
        return isSwitch(negated) ? negated + "=false" : "";
    }

    private boolean isSwitch(String name) {
        Flag flag = flags.get(name);
        return flag != null && flag.initialValue() instanceof Boolean;
    }

    private void check(String text) {
        int equal = text.indexOf('=');
        String name = text.substring(0, equal);
        Flag flag = flags.get(name);
        if (flag != null) {
            flag.parse(text.substring(equal + 1));
        } else {
            require(
                    POOL_FLAGS.contains(name) || name.equals(FILE),
                    "unknown command line flag '" + name + "'");
        }
    }

    /**
     * {@return the value of a flag}
     *
     * @param values from {@link #parse}
     * @param flag the flag
     */
    static Object value(Properties values, Flag flag) {
        String text = values.getProperty(flag.flagName());
        return text == null ? flag.initialValue() : flag.parse(text);
    }

    private static void require(boolean condition, String message) {
        if (!condition) {
            throw new IllegalArgumentException(message);
        }
    }
}
