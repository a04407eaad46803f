// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.helpers.NOPMDCAdapter;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/** Prints what is logged, whatever its level. Named by the system property slf4j.provider. */
public final class PrintingLogs implements SLF4JServiceProvider {
    private final IMarkerFactory markers = new BasicMarkerFactory();

    @Override
    public ILoggerFactory getLoggerFactory() {
        return Printer::new;
    }

    @Override
    public IMarkerFactory getMarkerFactory() {
        return markers;
    }

    @Override
    public MDCAdapter getMDCAdapter() {
        return new NOPMDCAdapter();
    }

    @Override
    public String getRequestedApiVersion() {
        return "2.0.99";
    }

    @Override
    public void initialize() {}

    private static final class Printer extends LegacyAbstractLogger {
        private static final long serialVersionUID = 1;

        Printer(String name) {
            this.name = name;
        }

        @Override
        protected String getFullyQualifiedCallerName() {
            return "";
        }

        @Override
        protected void handleNormalizedLoggingCall(
                Level level, Marker marker, String text, Object[] arguments, Throwable thrown) {
            System.out.println(
                    level + " " + name + " " + MessageFormatter.basicArrayFormat(text, arguments));
            if (thrown != null) {
                thrown.printStackTrace(System.out);
            }
        }

        @Override
        public boolean isTraceEnabled() {
            return true;
        }

        @Override
        public boolean isDebugEnabled() {
            return true;
        }

        @Override
        public boolean isInfoEnabled() {
            return true;
        }

        @Override
        public boolean isWarnEnabled() {
            return true;
        }

        @Override
        public boolean isErrorEnabled() {
            return true;
        }
    }
}
