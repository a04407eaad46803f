// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.verbs.ConnectionEventType;
import io.verbena.verbs.ConnectionIdentifier;
import io.verbena.verbs.ConnectionParameters;
import io.verbena.verbs.VerbsException;
import java.net.InetSocketAddress;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Calls of the connection manager that come too early or too late. */
public abstract class ConnectionStateConformance extends ConformanceTest {
    /** What can be called on an identifier. */
    enum Call {
        BIND {
            @Override
            void make(Dialog dialog, ConnectionIdentifier identifier, VerbsFixture fixture) {
                identifier.bind(dialog.client().anyPort());
            }
        },
        LISTEN {
            @Override
            void make(Dialog dialog, ConnectionIdentifier identifier, VerbsFixture fixture) {
                identifier.listen(1);
            }
        },
        RESOLVE_ADDRESS {
            @Override
            void make(Dialog dialog, ConnectionIdentifier identifier, VerbsFixture fixture) {
                identifier.resolveAddress(
                        dialog.listener().localAddress().orElseThrow(), fixture.patience());
            }
        },
        RESOLVE_ROUTE {
            @Override
            void make(Dialog dialog, ConnectionIdentifier identifier, VerbsFixture fixture) {
                identifier.resolveRoute(fixture.patience());
            }
        },
        CONNECT {
            @Override
            void make(Dialog dialog, ConnectionIdentifier identifier, VerbsFixture fixture) {
                identifier.connect(ConnectionParameters.DEFAULT);
            }
        },
        ACCEPT {
            @Override
            void make(Dialog dialog, ConnectionIdentifier identifier, VerbsFixture fixture) {
                identifier.accept(ConnectionParameters.DEFAULT);
            }
        },
        REJECT {
            @Override
            void make(Dialog dialog, ConnectionIdentifier identifier, VerbsFixture fixture) {
                identifier.reject(new byte[0]);
            }
        },
        DISCONNECT {
            @Override
            void make(Dialog dialog, ConnectionIdentifier identifier, VerbsFixture fixture) {
                identifier.disconnect();
            }
        };

        abstract void make(Dialog dialog, ConnectionIdentifier identifier, VerbsFixture fixture);
    }

    /** The stages of an identifier and what may be called at each. */
    enum Stage {
        NEW,
        BOUND,
        LISTENING,
        ADDRESS_RESOLVED,
        ROUTE_RESOLVED,
        REQUESTED,
        CONNECTED,
        DISCONNECTED;

        private Set<Call> possible() {
            return switch (this) {
                // Listening without an address is not tested: the C library then takes any.
                case NEW -> EnumSet.of(Call.BIND, Call.LISTEN, Call.RESOLVE_ADDRESS);
                case BOUND -> EnumSet.of(Call.LISTEN, Call.RESOLVE_ADDRESS);
                case LISTENING -> EnumSet.noneOf(Call.class);
                case ADDRESS_RESOLVED -> EnumSet.of(Call.RESOLVE_ROUTE);
                case ROUTE_RESOLVED -> EnumSet.of(Call.CONNECT);
                // Devices differ in whether a request may be disconnected before its answer.
                case REQUESTED -> EnumSet.of(Call.ACCEPT, Call.REJECT, Call.DISCONNECT);
                case CONNECTED, DISCONNECTED -> EnumSet.of(Call.DISCONNECT);
            };
        }

        Set<Call> wrongCalls() {
            Set<Call> wrong = EnumSet.allOf(Call.class);
            wrong.removeAll(possible());
            return wrong;
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldRefuseCallsThatDoNotFitTheStage(Stage stage) throws InterruptedException {
        Dialog dialog = closing(new Dialog(fixture()));
        ConnectionIdentifier identifier = reach(dialog, stage);

        for (Call call : stage.wrongCalls()) {
            assertThatThrownBy(() -> call.make(dialog, identifier, fixture()))
                    .as("%s when %s", call, stage)
                    .isInstanceOfAny(VerbsException.class, IllegalStateException.class)
                    .message()
                    .containsPattern("(?i)state|expected");
        }
    }

    @Test
    void shouldRefuseASecondQueuePair() throws InterruptedException {
        Dialog dialog = closing(new Dialog(fixture()));
        ConnectionIdentifier identifier = dialog.prepareActive();

        assertThatThrownBy(() -> dialog.client().createQueuePair(identifier))
                .isInstanceOfAny(VerbsException.class, IllegalStateException.class);
    }

    @Test
    void shouldRefuseAProtectionDomainOfAnotherContext() throws InterruptedException {
        Dialog dialog = closing(new Dialog(fixture()));
        ConnectionIdentifier identifier = dialog.client().resolve(dialog.listener());

        assertThatThrownBy(
                        () ->
                                identifier.createQueuePair(
                                        dialog.server().domain(), dialog.server().options()))
                .isInstanceOfAny(VerbsException.class, IllegalArgumentException.class);
    }

    @Test
    void shouldStayUsableAfterARefusedCall() throws InterruptedException {
        Dialog dialog = closing(new Dialog(fixture()));
        ConnectionIdentifier identifier = dialog.client().channel().createIdentifier();
        assertThatThrownBy(() -> identifier.connect(ConnectionParameters.DEFAULT))
                .isInstanceOfAny(VerbsException.class, IllegalStateException.class);

        identifier.resolveAddress(
                dialog.listener().localAddress().orElseThrow(), fixture().patience());

        dialog.client().expect(ConnectionEventType.ADDRESS_RESOLVED);
    }

    private ConnectionIdentifier reach(Dialog dialog, Stage stage) throws InterruptedException {
        return switch (stage) {
            case NEW -> dialog.client().channel().createIdentifier();
            case BOUND -> bound(dialog);
            case LISTENING -> dialog.client().listen(1);
            case ADDRESS_RESOLVED -> addressResolved(dialog);
            case ROUTE_RESOLVED -> dialog.prepareActive();
            case REQUESTED -> dialog.request(ConnectionParameters.DEFAULT).passive();
            case CONNECTED -> dialog.establish().active();
            case DISCONNECTED -> disconnected(dialog);
        };
    }

    private static ConnectionIdentifier bound(Dialog dialog) {
        ConnectionIdentifier identifier = dialog.client().channel().createIdentifier();
        identifier.bind(dialog.client().anyPort());
        return identifier;
    }

    private ConnectionIdentifier addressResolved(Dialog dialog) throws InterruptedException {
        InetSocketAddress address = dialog.listener().localAddress().orElseThrow();
        ConnectionIdentifier identifier = dialog.client().channel().createIdentifier();
        identifier.resolveAddress(address, fixture().patience());
        dialog.client().expect(ConnectionEventType.ADDRESS_RESOLVED);
        dialog.client().createQueuePair(identifier);
        return identifier;
    }

    private static ConnectionIdentifier disconnected(Dialog dialog) throws InterruptedException {
        ConnectionIdentifier identifier = dialog.establish().active();
        identifier.disconnect();
        dialog.client().expect(ConnectionEventType.DISCONNECTED);
        return identifier;
    }
}
