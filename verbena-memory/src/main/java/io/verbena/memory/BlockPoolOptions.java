// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import io.verbena.verbs.Errno;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.function.ToLongFunction;

/**
 * The settings of a pool. Each has the name of brpc's flag where brpc has one; docs/memory.md lists
 * where the defaults differ, and why.
 *
 * @param initialSizeMb {@value #INITIAL_SIZE_MB}: the first region, in MiB, 32 to 1048576
 * @param increaseSizeMb {@value #INCREASE_SIZE_MB}: each further region, in MiB, 32 to 1048576
 * @param maxRegions {@value #MAX_REGIONS}: how many regions at most, over all types, 1 to 16
 * @param buckets {@value #BUCKETS}: free lists per type, each with its own lock, 1 to 16
 * @param tlsCacheNum {@value #TLS_CACHE_NUM}: how many {@link BlockType#DEFAULT} blocks each cache
 *     near the threads holds, 0 to 65536; of larger blocks, as many as have the same size together
 * @param userSpecifiedMemory {@value #USER_SPECIFIED_MEMORY}: whether all regions come from {@link
 *     BlockPool#addRegion}, and the pool makes none itself
 * @param recvBlockType {@value #RECV_BLOCK_TYPE}: the type of receive blocks, of the blocks in the
 *     first region, and of those an {@link IOBuf} is made of
 * @param receiveReservePercent {@value #RECEIVE_RESERVE_PERCENT}: the share of each region of the
 *     receive type that only {@link BlockUse#RECEIVE} may take, 0 to 90
 * @param regionIdle {@value #REGION_IDLE_SEC}: how long a further region must be unused before
 *     {@link BlockPool#shrinkIdle} gives it back
 * @param leakTracking {@value #LEAK_TRACKING}: how closely the pool looks for buffers that nobody
 *     closed: disabled, simple, advanced or paranoid
 */
public record BlockPoolOptions(
        int initialSizeMb,
        int increaseSizeMb,
        int maxRegions,
        int buckets,
        int tlsCacheNum,
        boolean userSpecifiedMemory,
        BlockType recvBlockType,
        int receiveReservePercent,
        Duration regionIdle,
        LeakTracking leakTracking) {
    /** Flag: {@value}. */
    public static final String INITIAL_SIZE_MB = "rdma_memory_pool_initial_size_mb";

    /** Flag: {@value}. */
    public static final String INCREASE_SIZE_MB = "rdma_memory_pool_increase_size_mb";

    /** Flag: {@value}. */
    public static final String MAX_REGIONS = "rdma_memory_pool_max_regions";

    /** Flag: {@value}. */
    public static final String BUCKETS = "rdma_memory_pool_buckets";

    /** Flag: {@value}. */
    public static final String TLS_CACHE_NUM = "rdma_memory_pool_tls_cache_num";

    /** Flag: {@value}. */
    public static final String USER_SPECIFIED_MEMORY = "rdma_memory_pool_user_specified_memory";

    /** Flag: {@value}. */
    public static final String RECV_BLOCK_TYPE = "rdma_recv_block_type";

    /** Flag, not in brpc: {@value}. */
    public static final String RECEIVE_RESERVE_PERCENT = "rdma_memory_pool_receive_reserve_percent";

    /** Flag, not in brpc: {@value}. */
    public static final String REGION_IDLE_SEC = "rdma_memory_pool_region_idle_sec";

    /** Flag, not in brpc: {@value}. */
    public static final String LEAK_TRACKING = "rdma_memory_pool_leak_tracking";

    /** The names of all flags. */
    public static final List<String> FLAGS =
            List.of(
                    INITIAL_SIZE_MB,
                    INCREASE_SIZE_MB,
                    MAX_REGIONS,
                    BUCKETS,
                    TLS_CACHE_NUM,
                    USER_SPECIFIED_MEMORY,
                    RECV_BLOCK_TYPE,
                    RECEIVE_RESERVE_PERCENT,
                    REGION_IDLE_SEC,
                    LEAK_TRACKING);

    /** Every setting has its default. */
    public static final BlockPoolOptions DEFAULT =
            new BlockPoolOptions(
                    64,
                    256,
                    16,
                    4,
                    128,
                    false,
                    BlockType.DEFAULT,
                    10,
                    Duration.ofMinutes(1),
                    LeakTracking.SIMPLE);

    private static final int MIN_MB = 32;
    private static final int MAX_MB = 1 << 20;
    private static final int MAX_COUNT = 16;
    private static final int MAX_CACHE = 1 << 16;
    private static final int MAX_PERCENT = 90;

    /** Checks the limits; EINVAL names the setting that is out of range. */
    public BlockPoolOptions {
        check(INITIAL_SIZE_MB, initialSizeMb, MIN_MB, MAX_MB);
        check(INCREASE_SIZE_MB, increaseSizeMb, MIN_MB, MAX_MB);
        check(MAX_REGIONS, maxRegions, 1, MAX_COUNT);
        check(BUCKETS, buckets, 1, MAX_COUNT);
        check(TLS_CACHE_NUM, tlsCacheNum, 0, MAX_CACHE);
        check(RECEIVE_RESERVE_PERCENT, receiveReservePercent, 0, MAX_PERCENT);
        Objects.requireNonNull(recvBlockType, "recvBlockType");
        Objects.requireNonNull(regionIdle, "regionIdle");
        Objects.requireNonNull(leakTracking, "leakTracking");
    }

    /**
     * {@return the defaults, changed by the properties that have a flag's name}
     *
     * @param properties such as the system properties; those that name no flag are ignored
     * @throws BlockPoolException EINVAL if a value is not one its flag may have
     */
    public static BlockPoolOptions of(Properties properties) {
        return new BlockPoolOptions(
                number(properties, INITIAL_SIZE_MB, DEFAULT.initialSizeMb),
                number(properties, INCREASE_SIZE_MB, DEFAULT.increaseSizeMb),
                number(properties, MAX_REGIONS, DEFAULT.maxRegions),
                number(properties, BUCKETS, DEFAULT.buckets),
                number(properties, TLS_CACHE_NUM, DEFAULT.tlsCacheNum),
                isOn(properties, USER_SPECIFIED_MEMORY),
                BlockType.named(
                        properties.getProperty(RECV_BLOCK_TYPE, DEFAULT.recvBlockType.flagName())),
                number(properties, RECEIVE_RESERVE_PERCENT, DEFAULT.receiveReservePercent),
                Duration.ofSeconds(
                        number(properties, REGION_IDLE_SEC, (int) DEFAULT.regionIdle.toSeconds())),
                tracking(properties.getProperty(LEAK_TRACKING, DEFAULT.leakTracking.name())));
    }

    /**
     * {@return all settings, by the names of their flags} The type of receive blocks is left out: a
     * device has a flag of its own for it.
     */
    public List<BlockPoolSetting> settings() {
        return List.of(
                setting(INITIAL_SIZE_MB, o -> o.initialSizeMb, MIN_MB, MAX_MB),
                setting(INCREASE_SIZE_MB, o -> o.increaseSizeMb, MIN_MB, MAX_MB),
                setting(MAX_REGIONS, o -> o.maxRegions, 1, MAX_COUNT),
                setting(BUCKETS, o -> o.buckets, 1, MAX_COUNT),
                setting(TLS_CACHE_NUM, o -> o.tlsCacheNum, 0, MAX_CACHE),
                setting(RECEIVE_RESERVE_PERCENT, o -> o.receiveReservePercent, 0, MAX_PERCENT),
                setting(REGION_IDLE_SEC, o -> (int) o.regionIdle.toSeconds(), 0, Integer.MAX_VALUE),
                new BlockPoolSetting(
                        USER_SPECIFIED_MEMORY,
                        userSpecifiedMemory,
                        DEFAULT.userSpecifiedMemory,
                        0,
                        0),
                new BlockPoolSetting(
                        LEAK_TRACKING, leakTracking.name(), DEFAULT.leakTracking.name(), 0, 0));
    }

    /**
     * {@return how many bytes all regions together may have; {@link Long#MAX_VALUE} if that is up
     * to the user who supplies them}
     */
    public long mostBytes() {
        return userSpecifiedMemory
                ? Long.MAX_VALUE
                : initialSizeMb + (maxRegions - 1L) * increaseSizeMb << 20;
    }

    private BlockPoolSetting setting(
            String name, ToLongFunction<BlockPoolOptions> value, long least, long most) {
        return new BlockPoolSetting(
                name, value.applyAsLong(this), value.applyAsLong(DEFAULT), least, most);
    }

    /**
     * {@return the same with other region sizes}
     *
     * @param initial the first, in MiB
     * @param increase each further one, in MiB
     */
    public BlockPoolOptions withSizesMb(int initial, int increase) {
        return new BlockPoolOptions(
                initial,
                increase,
                maxRegions,
                buckets,
                tlsCacheNum,
                userSpecifiedMemory,
                recvBlockType,
                receiveReservePercent,
                regionIdle,
                leakTracking);
    }

    /**
     * {@return the same with another division}
     *
     * @param regions how many regions at most
     * @param freeLists how many buckets per type
     * @param cached how many blocks each cache near the threads holds
     */
    public BlockPoolOptions withDivision(int regions, int freeLists, int cached) {
        return new BlockPoolOptions(
                initialSizeMb,
                increaseSizeMb,
                regions,
                freeLists,
                cached,
                userSpecifiedMemory,
                recvBlockType,
                receiveReservePercent,
                regionIdle,
                leakTracking);
    }

    /** {@return the same, with all regions supplied by the user} */
    public BlockPoolOptions withUserSpecifiedMemory() {
        return new BlockPoolOptions(
                initialSizeMb,
                increaseSizeMb,
                maxRegions,
                buckets,
                tlsCacheNum,
                true,
                recvBlockType,
                receiveReservePercent,
                regionIdle,
                leakTracking);
    }

    /**
     * {@return the same with other receive blocks}
     *
     * @param type their type
     * @param reservePercent the share of each region of that type that is kept for them
     */
    public BlockPoolOptions withReceive(BlockType type, int reservePercent) {
        return new BlockPoolOptions(
                initialSizeMb,
                increaseSizeMb,
                maxRegions,
                buckets,
                tlsCacheNum,
                userSpecifiedMemory,
                type,
                reservePercent,
                regionIdle,
                leakTracking);
    }

    /**
     * {@return the same with another idle time before regions are given back}
     *
     * @param idle how long a region must be idle
     */
    public BlockPoolOptions withRegionIdle(Duration idle) {
        return new BlockPoolOptions(
                initialSizeMb,
                increaseSizeMb,
                maxRegions,
                buckets,
                tlsCacheNum,
                userSpecifiedMemory,
                recvBlockType,
                receiveReservePercent,
                idle,
                leakTracking);
    }

    /**
     * {@return the same with another level of leak tracking}
     *
     * @param level how closely users are watched
     */
    public BlockPoolOptions withLeakTracking(LeakTracking level) {
        return new BlockPoolOptions(
                initialSizeMb,
                increaseSizeMb,
                maxRegions,
                buckets,
                tlsCacheNum,
                userSpecifiedMemory,
                recvBlockType,
                receiveReservePercent,
                regionIdle,
                level);
    }

    private static void check(String flag, int value, int least, int most) {
        if (value < least || value > most) {
            throw invalid(flag, Integer.toString(value), least + ".." + most);
        }
    }

    private static int number(Properties properties, String flag, int initial) {
        String text = properties.getProperty(flag);
        if (text == null) {
            return initial;
        }
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new BlockPoolException(
                    Errno.EINVAL, flag + ": " + text + " (expected: a whole number)", e);
        }
    }

    private static boolean isOn(Properties properties, String flag) {
        String text = properties.getProperty(flag, "false");
        return switch (text) {
            case "true", "1" -> true;
            case "false", "0" -> false;
            default -> throw invalid(flag, text, "true or false");
        };
    }

    private static LeakTracking tracking(String name) {
        for (LeakTracking level : LeakTracking.values()) {
            if (level.name().equalsIgnoreCase(name)) {
                return level;
            }
        }
        throw invalid(LEAK_TRACKING, name, "DISABLED, SIMPLE, ADVANCED or PARANOID");
    }

    private static BlockPoolException invalid(String flag, String value, String expected) {
        return new BlockPoolException(
                Errno.EINVAL, flag + ": " + value + " (expected: " + expected + ")");
    }
}
