// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.ScatterGatherElement;

/** What can be wrong with a local element, of eight bytes. */
enum LocalFault {
    WRONG_KEY {
        @Override
        void applyTo(ScatterGatherElement element, Endpoint owner) {
            MemoryRegion region = region(owner);
            element.set(region.address(), LENGTH, ~region.lkey());
        }
    },
    PAST_END {
        @Override
        void applyTo(ScatterGatherElement element, Endpoint owner) {
            element.set(region(owner), SIZE - LENGTH + 1, LENGTH);
        }
    },
    BEFORE_START {
        @Override
        void applyTo(ScatterGatherElement element, Endpoint owner) {
            element.set(region(owner), -1, LENGTH);
        }
    },
    WRAPS_AROUND {
        @Override
        void applyTo(ScatterGatherElement element, Endpoint owner) {
            element.set(-LENGTH / 2, LENGTH, region(owner).lkey());
        }
    },
    LONGER_THAN_REGION {
        @Override
        void applyTo(ScatterGatherElement element, Endpoint owner) {
            element.set(region(owner), 0, (int) SIZE + 1);
        }
    },
    CLOSED_REGION {
        @Override
        void applyTo(ScatterGatherElement element, Endpoint owner) {
            MemoryRegion region = region(owner);
            element.set(region, 0, LENGTH);
            region.close();
        }
    },
    OTHER_DOMAIN {
        @Override
        void applyTo(ScatterGatherElement element, Endpoint owner) {
            ProtectionDomain other = owner.closing(owner.context().allocateProtectionDomain());
            element.set(
                    MemoryKind.USER.create(other, owner.arena(), SIZE, AccessFlag.LOCAL_WRITE),
                    0,
                    LENGTH);
        }
    };

    static final int LENGTH = 8;

    /** Small, so that a message a little longer is still one packet. */
    private static final long SIZE = 64;

    /**
     * Points an element at memory it may not use.
     *
     * @param element the element
     * @param owner whose request it is
     */
    abstract void applyTo(ScatterGatherElement element, Endpoint owner);

    /** {@return whether no region of the domain has the key; else only the bounds are wrong} */
    boolean isOfTheKey() {
        return this == WRONG_KEY || this == CLOSED_REGION || this == OTHER_DOMAIN;
    }

    private static MemoryRegion region(Endpoint owner) {
        return owner.createRegion(MemoryKind.USER, SIZE, AccessFlag.LOCAL_WRITE);
    }
}
