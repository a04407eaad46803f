// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.memory.IOBuf;
import io.verbena.rpc.server.ServiceMethod;
import io.verbena.rpc.spi.ProtocolProvider;
import io.verbena.rpc.spi.ServerConnection;
import io.verbena.rpc.spi.ServerProtocol;
import io.verbena.rpc.spi.ServerView;
import io.verbena.rpc.wire.FrameCutter;
import io.verbena.rpc.wire.RpcMeta;
import io.verbena.transport.TransportError;
import io.verbena.transport.TransportException;
import java.util.Optional;

/**
 * The server's side of {@code baidu_std}, which every server can speak. Unlike the protocols of the
 * SPI, it uses the server's own session and call classes, so a call needs only one object.
 */
final class BaiduProtocol implements ProtocolProvider, ServerProtocol {
    /** What is collected of a request whose client has not been authenticated. */
    static final int STRANGER_BYTES = 64 << 10;

    @Override
    public String name() {
        return ChannelOptions.BAIDU_STD;
    }

    /** {@return itself: it has no state per server} */
    @Override
    public ServerProtocol open(ServerView server) {
        return this;
    }

    @Override
    public Parser parser(ServerConnection connection) {
        return new RequestParser((ServerSession) connection);
    }

    /** Reads the requests of one connection. */
    private static final class RequestParser implements Parser {
        private final ServerSession session;
        private final ServerCore core;
        private final FrameCutter cutter = new FrameCutter();
        private boolean isAuthenticated;

        /** Whether nothing more is read: the answer that refuses the client may have to wait. */
        private boolean isRefused;

        RequestParser(ServerSession session) {
            this.session = session;
            this.core = session.core();
            this.isAuthenticated = core.options().auth().isEmpty();
        }

        @Override
        public Outcome consume(IOBuf received) {
            if (isRefused) {
                received.clear();
                return Outcome.CLOSED;
            }
            if (session.streams().skips(received)) {
                return Outcome.NEED_MORE;
            }
            return switch (next(received)) {
                case READY -> {
                    onRequest(received);
                    yield Outcome.CONSUMED;
                }
                case NEED_MORE -> Outcome.NEED_MORE;
                case NOT_MINE -> isAuthenticated ? consumeStream(received) : Outcome.NOT_MINE;
                case TOO_LARGE -> isAuthenticated ? onTooLarge(received) : onStranger(received);
                case BROKEN -> refuse("a broken frame");
            };
        }

        private FrameCutter.Result next(IOBuf received) {
            long most = core.maxBodyBytes();
            return isAuthenticated
                    ? cutter.next(received, most)
                    : cutter.next(received, Math.min(most, STRANGER_BYTES), STRANGER_BYTES);
        }

        @Override
        public boolean isBetweenMessages() {
            return !cutter.isSkipping() && !session.streams().isSkipping();
        }

        /** Credentials come before the body, so a large one is not collected for a stranger. */
        private Outcome onStranger(IOBuf received) {
            BaiduCall call = new BaiduCall(session, cutter.meta());
            try {
                if (authenticate(call, cutter.meta())) {
                    return consume(received);
                }
            } catch (Throwable e) {
                call.onFault("the call cannot be accepted", e);
                session.closeAfterWrites();
            }
            received.clear();
            return Outcome.CLOSED;
        }

        private Outcome consumeStream(IOBuf received) {
            return switch (session.streams().consume(received)) {
                case READY, TOO_LARGE -> Outcome.CONSUMED;
                case NEED_MORE -> Outcome.NEED_MORE;
                case NOT_MINE -> Outcome.NOT_MINE;
                case BROKEN -> refuse("a broken stream frame");
            };
        }

        private Outcome refuse(String what) {
            session.transport()
                    .abort(
                            new TransportException(
                                    TransportError.EPROTO,
                                    what + " from " + session.transport().remoteAddress()));
            return Outcome.CLOSED;
        }

        /**
         * Answers with the reason, and drops the body as it arrives. brpc closes the connection;
         * but a close that leaves bytes unread resets it, and the client may never see the answer.
         */
        private Outcome onTooLarge(IOBuf received) {
            BaiduCall call = new BaiduCall(session, cutter.meta());
            cutter.skipAsItArrives(received);
            call.fail(RpcError.EREQUEST, core.tooLarge(cutter));
            return Outcome.CONSUMED;
        }

        private void onRequest(IOBuf received) {
            long left = received.size() - cutter.frameSize();
            BaiduCall call = new BaiduCall(session, cutter.meta());
            // not in the catch clause: the first use of a text takes memory
            String what = "the call cannot be accepted";
            try {
                accept(call, received);
            } catch (Throwable e) {
                // the call fails, and the next frame is where it would have been
                received.popFront(received.size() - left);
                call.onFault(what, e);
                if (!isAuthenticated) {
                    session.closeAfterWrites();
                }
            }
        }

        private void accept(BaiduCall call, IOBuf received) {
            RpcMeta meta = cutter.meta();
            if (!isAuthenticated && !authenticate(call, meta)) {
                cutter.skip(received);
                return;
            }
            if (!core.enter(call)) {
                cutter.skip(received);
                return;
            }
            if (!cutter.isAttachmentPossible()) {
                cutter.skip(received);
                call.fail(
                        RpcError.EREQUEST,
                        "attachment_size: "
                                + meta.attachmentSize()
                                + " (expected: at most "
                                + cutter.bytesBehindMeta()
                                + ", all that follows the meta)");
                return;
            }
            Optional<ServiceMethod> method =
                    core.registry().find(meta.serviceName(), meta.methodName());
            if (method.isEmpty()) {
                String service = meta.serviceName().toText();
                cutter.skip(received);
                core.refuseUnknown(call, service, meta.methodName().toText());
                return;
            }
            call.take(cutter, received, method.get().requestPrototype());
            core.proceed(call, method.get());
        }

        private boolean authenticate(BaiduCall call, RpcMeta meta) {
            String refusal = session.authenticate(meta.authentication().toByteArray());
            isAuthenticated = refusal.isEmpty();
            if (!isAuthenticated) {
                isRefused = true;
                session.answerRefused(
                        () -> {
                            call.fail(RpcError.ERPCAUTH, "Fail to authenticate: " + refusal);
                            session.closeAfterWrites();
                        });
            }
            return isAuthenticated;
        }
    }
}
