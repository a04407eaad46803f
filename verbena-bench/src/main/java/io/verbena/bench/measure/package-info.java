// SPDX-License-Identifier: Apache-2.0

/**
 * How this program measures, whatever it measures: a {@link io.verbena.bench.measure.Plan} runs
 * {@link io.verbena.bench.measure.Lane lanes} in turn and takes medians; a {@link
 * io.verbena.bench.measure.Tally} counts calls while they are made; a {@link
 * io.verbena.bench.measure.Report} is printed as text or as JSON.
 */
package io.verbena.bench.measure;
