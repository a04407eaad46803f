// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

/** The version of the library. */
final class VersionPage implements Page {
    @Override
    public String name() {
        return "version";
    }

    @Override
    public String description() {
        return "version of the library";
    }

    @Override
    public PageContent show(PageRequest request) {
        return RawContent.text("verbena " + version() + "\n");
    }

    /** A build from source may have no version. */
    static String version() {
        String version = VersionPage.class.getPackage().getImplementationVersion();
        if (version != null) {
            return version;
        }
        Module module = VersionPage.class.getModule();
        return module.isNamed()
                ? module.getDescriptor().rawVersion().orElse("development")
                : "development";
    }
}
