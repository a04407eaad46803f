// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.transport.TransportFlags;
import io.verbena.verbs.DeviceAttributes;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Devices;
import io.verbena.verbs.Errno;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.SendWorkRequest;
import io.verbena.verbs.VerbsException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * A software device that can be made to refuse verbs, and that records the flags of what was posted
 * to it.
 */
public final class WatchedDevice {
    /** The flags of every send request, in order. */
    public final List<Integer> sendFlags = Collections.synchronizedList(new ArrayList<>());

    /** How many send requests were posted together, in order. */
    public final List<Integer> chains = Collections.synchronizedList(new ArrayList<>());

    /** Every queue pair that was made, in order. */
    public final List<QueuePair> made = Collections.synchronizedList(new ArrayList<>());

    /** Queue pairs that were made and not closed. */
    public final AtomicInteger queuePairs = new AtomicInteger();

    /** Regions of memory that were registered and not closed. */
    public final AtomicInteger memoryRegions = new AtomicInteger();

    /** The completion vectors of the completion queues, in order. */
    public final List<Integer> vectors = Collections.synchronizedList(new ArrayList<>());

    /** How many completion vectors it claims to have; the real device has one. */
    public volatile int completionVectors = 1;

    /** The most bytes that its queue pairs send inline; no verb tells. */
    public volatile int mostInlineBytes = Integer.MAX_VALUE;

    /** What a method throws, after how many more calls. */
    private record Refusal(AtomicInteger left, Supplier<? extends Throwable> fault) {}

    private final Map<String, Refusal> refusals = new ConcurrentHashMap<>();
    private final DeviceContext context;

    public WatchedDevice(String name) {
        this.context = wrap(DeviceContext.class, Devices.open(name));
    }

    public DeviceContext context() {
        return context;
    }

    /** Refuses a method of any verbs object, after this many more successful calls. */
    public void refuse(String method, int after) {
        fail(method, after, () -> new VerbsException(method, 12, "refused by the test"));
    }

    /** Like {@link #refuse}, with what no verb should throw. */
    public void fail(String method, int after, Supplier<? extends Throwable> fault) {
        refusals.put(method, new Refusal(new AtomicInteger(after), fault));
    }

    /** Stops refusing. */
    public void relent() {
        refusals.clear();
    }

    private <T> T wrap(Class<T> type, Object target) {
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (proxy, method, arguments) -> call(proxy, target, method, arguments)));
    }

    @SuppressWarnings("ReferenceEquality") // a proxy is only ever itself
    private Object call(Object proxy, Object target, Method method, Object[] arguments)
            throws Throwable {
        if (method.getName().equals("equals")) {
            return proxy == arguments[0];
        }
        refuseIfTold(method.getName());
        if (arguments != null && arguments.length > 0) {
            note(method, arguments[0]);
        }
        if (method.getName().equals("createCompletionQueue") && arguments.length == 3) {
            vectors.add((Integer) arguments[2]);
            arguments[2] = 0;
        }
        try {
            Object result = method.invoke(target, arguments);
            return replace(proxy, method, result);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private void refuseIfTold(String method) throws Throwable {
        Refusal refusal = refusals.get(method);
        if (refusal != null && refusal.left().getAndDecrement() <= 0) {
            throw refusal.fault().get();
        }
    }

    private void note(Method method, Object argument) {
        if (method.getName().equals("postSend")) {
            int length = 0;
            for (SendWorkRequest each = (SendWorkRequest) argument; ; each = each.next()) {
                sendFlags.add(each.flags());
                length++;
                if (!each.hasNext()) {
                    break;
                }
            }
            chains.add(length);
        }
        if (argument instanceof QueuePairOptions options
                && options.maxInlineBytes() > mostInlineBytes) {
            throw new VerbsException(method.getName(), Errno.EINVAL, "inline, refused by the test");
        }
    }

    private Object replace(Object proxy, Method method, Object result) {
        if (result instanceof DeviceAttributes attributes) {
            return withVectors(attributes);
        }
        if (result instanceof ProtectionDomain) {
            return wrap(ProtectionDomain.class, result);
        }
        if (result instanceof QueuePair pair) {
            queuePairs.incrementAndGet();
            made.add(pair);
            return wrap(QueuePair.class, result);
        }
        if (result instanceof MemoryRegion) {
            memoryRegions.incrementAndGet();
            return wrap(MemoryRegion.class, result);
        }
        if (proxy instanceof MemoryRegion && method.getName().equals("close")) {
            memoryRegions.decrementAndGet();
        }
        if (proxy instanceof QueuePair && method.getName().equals("close")) {
            queuePairs.decrementAndGet();
        }
        return method.getName().equals("context") ? context : result;
    }

    private DeviceAttributes withVectors(DeviceAttributes real) {
        return new DeviceAttributes(
                real.firmwareVersion(),
                real.nodeGuid(),
                real.systemImageGuid(),
                real.vendorId(),
                real.vendorPartId(),
                real.hardwareVersion(),
                real.ports(),
                completionVectors,
                real.maxMemoryRegionBytes(),
                real.maxMemoryRegions(),
                real.maxQueuePairs(),
                real.maxQueuePairWorkRequests(),
                real.maxElements(),
                real.maxCompletionQueues(),
                real.maxCompletions(),
                real.maxProtectionDomains(),
                real.maxReadAtomic(),
                real.maxInitiatorReadAtomic(),
                real.maxInlineBytes(),
                real.atomics());
    }

    /** {@return a domain on this device} */
    public RdmaDevice open(TransportFlags flags) {
        return RdmaDevice.open(context, flags, Domains.SMALL_POOL);
    }
}
