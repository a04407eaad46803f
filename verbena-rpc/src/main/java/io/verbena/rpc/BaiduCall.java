// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.verbena.completion.Faults;
import io.verbena.memory.IOBuf;
import io.verbena.rpc.FrameBuilder.Coverage;
import io.verbena.rpc.spi.ServerStreams;
import io.verbena.rpc.wire.Checksum;
import io.verbena.rpc.wire.Compression;
import io.verbena.rpc.wire.FrameCutter;
import io.verbena.rpc.wire.MetaReader;
import io.verbena.rpc.wire.MetaWriter;
import io.verbena.rpc.wire.RpcMeta;
import io.verbena.rpc.wire.StreamFrame;
import io.verbena.transport.TransportError;
import io.verbena.transport.TransportException;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A call that arrived over {@code baidu_std}. */
final class BaiduCall extends IncomingCall {
    private static final Logger LOG = LoggerFactory.getLogger(BaiduCall.class);

    private final long correlationId;
    private final int compressType;
    private final int contentType;
    private Message request;
    private IOBuf payload;
    private IOException fault;

    /** The streams that the request offers; empty if none. */
    private Optional<AcceptedStreams> offered = Optional.empty();

    /** Those of a method that has streams; null if it has none. */
    private BaiduServerStreams streams;

    BaiduCall(ServerSession session, RpcMeta meta) {
        super(session, session.receivedNs());
        this.correlationId = meta.correlationId();
        this.compressType = meta.compressType();
        this.contentType = meta.contentType();
        received(
                CompressType.of(compressType),
                meta.checksumType() != Checksum.NONE,
                ContentType.isKnown(contentType)
                        ? ContentType.of(contentType)
                        : ContentType.PROTOBUF);
        setLogId(meta.logId());
        if (meta.requestId().isPresent()) {
            setRequestId(meta.requestId().toText());
        }
        if (meta.timeoutMs() > 0) {
            setTimeoutMs(meta.timeoutMs());
        }
        if (meta.hasUserFields()) {
            requestUserFields().putAll(meta.userFields());
        }
        if (meta.streamSettings().isPresent()) {
            offered =
                    MetaReader.readSettings(meta.streamSettings())
                            .map(settings -> new AcceptedStreams(session.streams(), settings));
        }
    }

    /**
     * Takes the request out of the received bytes. A small one is decoded here, before its bytes
     * are overwritten; if decoding fails, {@link #decode} reports it later.
     */
    void take(FrameCutter cutter, IOBuf received, Message prototype) {
        if (cutter.isPlain()) {
            try {
                request = cutter.parse(prototype);
            } catch (InvalidProtocolBufferException e) {
                fault = e;
            }
            if (cutter.meta().attachmentSize() == 0) {
                cutter.skip(received);
            } else {
                cutter.cutAttachment(received, requestAttachment());
            }
            return;
        }
        payload = session().pool().buffer();
        cutter.cutPayload(received, payload, requestAttachment());
        verify(cutter.meta());
    }

    private void verify(RpcMeta meta) {
        try (IOBuf none = session().pool().buffer()) {
            Checksum.verify(
                    meta, payload, meta.isChecksumWithAttachment() ? requestAttachment() : none);
        } catch (IOException e) {
            fault = e;
        }
    }

    @Override
    Message decode(Message prototype) throws IOException {
        if (fault != null) {
            throw fault;
        }
        if (payload == null) {
            return request;
        }
        try {
            return Bodies.read(
                    contentType, compressType, payload, session().core().maxBodyBytes(), prototype);
        } finally {
            payload.clear();
        }
    }

    @Override
    public void close() {
        if (payload != null) {
            payload.clear();
        }
        super.close();
    }

    @Override
    ServerStreams streams() {
        if (offered.isEmpty()) {
            throw new RpcException(RpcError.EREQUEST, STREAMS_EXPECTED);
        }
        streams =
                new BaiduServerStreams(
                        this, offered.get(), method().descriptor().isClientStreaming());
        return streams;
    }

    @Override
    public ByteStream acceptStream(ByteStreamOptions options) {
        AcceptedStreams all =
                offered.orElseThrow(
                        () -> new IllegalStateException("streams: none offered (expected: one)"));
        CallByteStream stream =
                new CallByteStream(session().pool(), session().core().streamTimer(), options);
        stream.accepted(all.accept(all.next(), options, stream));
        return stream;
    }

    @Override
    public int offeredStreams() {
        return offered.map(all -> all.offered().count() - all.next()).orElse(0);
    }

    /** The streams of the method are open: answers the call that opens them. */
    void answerOpened() {
        FrameBuilders builders = session().core().builders();
        FrameBuilder builder = builders.take();
        try {
            meta(builder.meta(), 0, "", 0);
            builder.meta().withoutChecksum();
            builder.meta().end(builder.frame());
            write(builder.frame());
        } catch (TransportException e) {
            throw new RpcException(e.code(), e.detail());
        } finally {
            builders.giveBack(builder);
        }
        offered.orElseThrow().connect();
    }

    /** Writes a response, over the first stream that was offered if there is one. */
    private void write(IOBuf frame) {
        if (offered.isEmpty()) {
            session().write(frame);
        } else {
            writeWrapped(frame, offered.get(), session()::writeStream);
        }
    }

    private void writeError(IOBuf frame) {
        if (offered.isEmpty()) {
            session().writeError(frame);
        } else {
            writeWrapped(frame, offered.get(), session()::writeError);
        }
    }

    private void writeWrapped(IOBuf frame, AcceptedStreams streams, Consumer<IOBuf> output) {
        try (IOBuf wrapped = session().pool().buffer()) {
            StreamFrame.data(streams.firstOffered(), streams.firstAccepted(), false)
                    .appendTo(frame.size(), wrapped);
            frame.cutInto(wrapped, frame.size());
            output.accept(wrapped);
        }
    }

    @Override
    void answer(Message response) {
        if (streams != null && streams.isOpen()) {
            finishStreams(response);
            return;
        }
        boolean isSent = trySend(response);
        if (offered.isPresent()) {
            if (failed()) {
                offered.get().fail(errorCode(), errorText());
            } else if (isSent) {
                offered.get().connect();
            } else {
                offered.get().fail(RpcError.EOVERCROWDED.code(), "the response is lost");
            }
        }
    }

    private void finishStreams(Message response) {
        if (failed()) {
            String text = session().serverIdentity() + "[E" + errorCode() + "]" + errorText();
            streams.finish(new StreamStatus(errorCode(), text), Optional.empty());
        } else {
            streams.finish(
                    StreamStatus.SUCCESS,
                    method().descriptor().isServerStreaming()
                            ? Optional.empty()
                            : Optional.of(response));
        }
    }

    /** {@return whether the response, or an error in its place, was passed to the connection} */
    private boolean trySend(Message response) {
        FrameBuilders builders = session().core().builders();
        FrameBuilder builder = builders.take();
        try {
            buildAny(builder, response);
            if (offered.isEmpty()) {
                boolean isShort = builder.isShort();
                session().write(builder);
                if (isShort) {
                    answeredShortly();
                }
            } else {
                write(builder.frame());
            }
            return true;
        } catch (TransportException e) {
            onRefusal(builder, e);
            return false;
        } finally {
            builders.giveBack(builder);
        }
    }

    /**
     * If RDMA cannot send the response's memory, or too much is waiting to be sent already, the
     * client gets an error instead.
     */
    private void onRefusal(FrameBuilder builder, TransportException refusal) {
        builder.clear();
        if (refusal.error() == TransportError.ERDMAMEM
                || refusal.error() == TransportError.EOVERCROWDED) {
            setFailed(refusal.code(), refusal.detail());
            buildError(builder);
            writeError(builder.frame());
        } else {
            LOG.debug("an answer to {} is lost", remoteSide(), refusal);
        }
    }

    /** Builds the response or, if its own code or a codec throws, an error. */
    private void buildAny(FrameBuilder builder, Message response) {
        try {
            build(builder, response);
        } catch (Throwable e) {
            Faults.warn(BaiduCall.class, "the response cannot be sent", this, e);
            builder.clear();
            setFailed(Faults.describe("the response cannot be sent", e));
            buildError(builder);
        }
    }

    private void build(FrameBuilder builder, Message response) throws IOException {
        if (failed()) {
            buildError(builder);
            return;
        }
        long attachmentSize = hasResponseAttachment() ? responseAttachment().size() : 0;
        boolean isPlain =
                responseCompressType() == CompressType.NONE
                        && !hasResponseChecksum()
                        && responseContentType() == ContentType.PROTOBUF;
        if (isPlain) {
            meta(builder.meta(), 0, "", Math.toIntExact(attachmentSize));
            builder.meta().withoutChecksum();
            builder.endWithMessage(response, attachmentSize);
        } else {
            buildEncoded(builder, response, Math.toIntExact(attachmentSize));
        }
        if (attachmentSize > 0) {
            responseAttachment().cutInto(builder.frame(), attachmentSize);
        }
    }

    private void buildEncoded(FrameBuilder builder, Message response, int attachmentSize)
            throws IOException {
        Bodies.write(responseContentType(), responseCompressType(), response, builder.payload());
        meta(builder.meta(), 0, "", attachmentSize);
        Coverage coverage =
                Coverage.of(hasResponseChecksum(), session().core().isAttachmentCovered());
        builder.endWithPayload(
                responseContentType(), coverage, attachmentSize, responseAttachment());
    }

    private void buildError(FrameBuilder builder) {
        String text = session().serverIdentity() + "[E" + errorCode() + "]" + errorText();
        meta(builder.meta(), errorCode(), text, 0);
        builder.meta().withoutChecksum();
        builder.meta().end(builder.frame());
    }

    private void meta(MetaWriter meta, int errorCode, String errorText, int attachmentSize) {
        meta.begin();
        meta.response(errorCode, errorText);
        meta.common(
                errorCode == 0 ? responseCompressType().code() : Compression.NONE,
                correlationId,
                attachmentSize);
        if (errorCode == 0 && offered.isPresent()) {
            offered.get().settings().ifPresent(meta::streamSettings);
        }
        if (hasExtras()) {
            meta.userFields(responseUserFields());
        }
    }
}
