// The types of records, written by make docs. No stability of any schema is promised.

import type { Digits } from "./stele.mjs";

export type KindName =
  | "signal"
  | "evidence"
  | "proof_claim"
  | "healthcare_statistic"
  | "source_object"
  | "public_reference"
  | "graph_node"
  | "graph_edge"
  | "change_event"
  | "entity"
  | "opportunity"
  | "recommendation"
  | "decision_view";

export interface ClaimBoundary {
  /** The limits of the claim in words. */
  statement: string;
  /** The people that the claim is about. */
  population?: string;
  /** The places of the claim. */
  place?: string;
  /** The period of the claim. */
  period?: string;
  /** Cases that the claim does not cover. */
  excludes?: string[];
}

export type SourceRole =
  | "primary"
  | "secondary"
  | "background"
  | "disputed"
  | "superseded"
  | "archive";

export interface Quote {
  /** The source's exact words, at most 2000 characters. Use [...] for omitted words. */
  text: string;
  /** Where the words are in the source, if the link's own locator does not give it. */
  locator?: string;
}

export interface SourceLink {
  /** The URL of the source: an absolute http or https URL. */
  url: string;
  /** The ID of the source object that describes the source. */
  source_id?: string;
  /** The role of the source. */
  role: SourceRole;
  /** The place in the source: a page, a table, a section. */
  locator?: string;
  /** The source's exact words. */
  quote?: Quote;
}

export type UpdateType =
  | "new_version"
  | "new_edition"
  | "data_revision"
  | "addendum"
  | "clarification"
  | "correction"
  | "expression_of_concern"
  | "partial_retraction"
  | "retraction"
  | "withdrawal"
  | "removal"
  | "reinstatement"
  | "moved";

export type Effect =
  | "none"
  | "already_reflected"
  | "record_changed";

export interface SourceUpdate {
  /** The day on which the source changed. */
  date: string;
  /** How it changed. */
  type: UpdateType;
  /** The ID of the source object that changed. */
  source_id?: string;
  /** The URL of the announcement. */
  notice_url?: string;
  /** What changed, in a sentence. */
  summary: string;
  /** The impact on this record. */
  effect: Effect;
  /** The version of this record that took the change into account. */
  in_version?: number;
}

export type CorrectionType =
  | "correction"
  | "clarification"
  | "expression_of_concern"
  | "partial_retraction"
  | "retraction"
  | "reinstatement";

export interface Correction {
  /** The day on which the record was corrected. */
  date: string;
  /** The severity of the correction. */
  type: CorrectionType;
  /** The version of this record with the correction. */
  in_version: number;
  /** The members that were corrected, such as claim or source_links. */
  fields: string[];
  /** What was wrong, and what the record says now. */
  summary: string;
  /** Who reported the error. */
  reported_by?: string;
  /** The IDs of lost or changed records that the correction takes into account. */
  because_of?: string[];
}

export interface Subject {
  /** The scheme's name, such as MeSH or ICD-11. */
  scheme: string;
  /** The code within the scheme. */
  code: string;
}

export type SignalType =
  | "indicator_change"
  | "event_report"
  | "weak_signal"
  | "trend"
  | "wild_card";

/** Something observed that may matter: a change in an indicator, a report of an event, an early sign. */
export interface Signal {
  /** The record ID. It is never reused and never renamed. */
  id: string;
  /** The kind of the record. */
  kind: "signal";
  /** The version of this record: 1 at first, and one more after each change of its content. */
  version: number;
  /** A title in plain text, at most 160 characters. */
  title: string;
  /** What the record says, in a sentence or two of plain text. */
  summary: string;
  /** The limits of the claim: what it does not cover. */
  claim_boundary: ClaimBoundary;
  /** Links to the sources of the record, at least one. */
  source_links: SourceLink[];
  /** The day on which someone last checked the record against its sources. */
  verification_date: string;
  /** Who checked it on that day, if the publisher names them. */
  verified_by?: string;
  /** Changes to the sources; empty if there were none. */
  source_updates: SourceUpdate[];
  /** Errors in this record that were corrected; empty if there were none. */
  corrections: Correction[];
  /** The day on which the record was first published. */
  published_date: string;
  /** The day on which its content last changed. */
  updated_date: string;
  /** Where the record was first published, if that was before this service published it. */
  first_published_elsewhere?: string;
  /** The SPDX identifier of the record's licence, if it differs from the publisher's. */
  license?: string;
  /** Other names of the record elsewhere. */
  aliases?: string[];
  /** The ID of the record of the same kind that replaces it. */
  replaced_by?: string;
  /** The IDs of other records that may interest the reader. */
  see_also?: string[];
  /** The subjects of the record, as codes of published schemes. */
  subjects?: Subject[];
  /** True if the record is an example, not a finding of the publisher. */
  illustrative?: boolean;
  /** The record ID, under the name used in paths. */
  signal_id: string;
  /** The type of the signal. */
  signal_type: SignalType;
  /** What was observed, with figures, in a sentence or two. */
  observation: string;
  /** The day of the observation. */
  detected_date: string;
  /** The IDs of the evidence for the observation. A signal has these, statistic_ids, or both. */
  evidence_ids?: string[];
  /** The IDs of the statistics that show the observation. */
  statistic_ids?: string[];
  /** The IDs of the entities that the signal is about. */
  entity_ids?: string[];
  /** A member of the publisher's own. */
  [x: `x_${string}`]: unknown;
}

export type EvidenceType =
  | "systematic_review"
  | "randomized_trial"
  | "observational_study"
  | "modelled_estimate"
  | "surveillance_report"
  | "official_statistic"
  | "guideline"
  | "qualitative_study";

export type EvidenceLabel =
  | "high"
  | "moderate"
  | "low"
  | "very_low"
  | "not_rated";

export type Assessor =
  | "source"
  | "service";

export type StartLabel =
  | "high"
  | "moderate"
  | "low"
  | "very_low";

export type CertaintyFactor =
  | "risk_of_bias"
  | "inconsistency"
  | "indirectness"
  | "imprecision"
  | "publication_bias"
  | "large_effect"
  | "dose_response"
  | "opposing_confounding";

export interface LabelFactor {
  /** What lowers or raises the certainty. */
  factor: CertaintyFactor;
  /** The number of levels: 1 or 2, or 0 if the factor was considered but changed nothing. */
  levels: number;
  /** The reason, in a sentence. */
  why: string;
}

export interface LabelBasis {
  /** The rating scheme, such as GRADE. */
  scheme: string;
  /** Who rated it. */
  assessed_by: Assessor;
  /** The ID of the source object that gives the rating. */
  source_id?: string;
  /** The place in that source. */
  locator?: string;
  /** The certainty before any factor is applied: in GRADE, high for randomized trials and low for observational studies. */
  start?: StartLabel;
  /** The reasons that lower or raise the certainty. An empty list says that there are none. */
  factors?: LabelFactor[];
}

export interface Comparison {
  /** Who was studied. */
  population?: string;
  /** What was done or given. */
  intervention?: string;
  /** What it was compared with. */
  comparator?: string;
  /** What was counted or measured. */
  outcome?: string;
  /** When it was counted or measured. */
  time?: string;
}

export type MeasureCode =
  | "rr"
  | "or"
  | "hr"
  | "rate_ratio"
  | "rd"
  | "md"
  | "smd";

export type Interval =
  | "confidence"
  | "credible"
  | "prediction"
  | "uncertainty"
  | "range";

export type Magnitude =
  | "large"
  | "moderate"
  | "small"
  | "trivial";

export interface Risk {
  /** How many have the outcome without the intervention. */
  assumed: string;
  /** Of how many: people, or person-years for a rate; such as 1000. */
  per: number;
  /** How many have the outcome with the intervention. Without it, pages compute it. */
  corresponding?: string;
  /** The lower end of its interval. */
  lower?: string;
  /** The upper end of its interval. */
  upper?: string;
  /** The name of the group with this risk, such as low risk. */
  label?: string;
  /** The ID of the source object that gives the assumed risk, if it is another. */
  source_id?: string;
}

export interface EffectSize {
  /** What is measured, such as risk ratio. */
  measure: string;
  /** The code of the measure. Without it, known spellings of measure are recognized. */
  measure_code?: MeasureCode;
  /** The estimate. */
  value: number | Digits;
  /** The lower end of the interval. */
  lower?: number | Digits;
  /** The upper end of the interval. */
  upper?: number | Digits;
  /** The type of the interval. */
  interval?: Interval;
  /** The interval's level in per cent, such as 95. */
  level?: number | Digits;
  /** The number of people studied. */
  participants?: number;
  /** The number of studies. */
  studies?: number;
  /** How large the effect is, as a person judged it against a threshold. It is never computed. */
  size?: Magnitude;
  /** The absolute effect, as the source printed it, for each assumed risk. */
  risks?: Risk[];
}

/** A finding of a study, a statistic or a guideline, with its certainty. */
export interface Evidence {
  /** The record ID. It is never reused and never renamed. */
  id: string;
  /** The kind of the record. */
  kind: "evidence";
  /** The version of this record: 1 at first, and one more after each change of its content. */
  version: number;
  /** A title in plain text, at most 160 characters. */
  title: string;
  /** What the record says, in a sentence or two of plain text. */
  summary: string;
  /** The limits of the claim: what it does not cover. */
  claim_boundary: ClaimBoundary;
  /** Links to the sources of the record, at least one. */
  source_links: SourceLink[];
  /** The day on which someone last checked the record against its sources. */
  verification_date: string;
  /** Who checked it on that day, if the publisher names them. */
  verified_by?: string;
  /** Changes to the sources; empty if there were none. */
  source_updates: SourceUpdate[];
  /** Errors in this record that were corrected; empty if there were none. */
  corrections: Correction[];
  /** The day on which the record was first published. */
  published_date: string;
  /** The day on which its content last changed. */
  updated_date: string;
  /** Where the record was first published, if that was before this service published it. */
  first_published_elsewhere?: string;
  /** The SPDX identifier of the record's licence, if it differs from the publisher's. */
  license?: string;
  /** Other names of the record elsewhere. */
  aliases?: string[];
  /** The ID of the record of the same kind that replaces it. */
  replaced_by?: string;
  /** The IDs of other records that may interest the reader. */
  see_also?: string[];
  /** The subjects of the record, as codes of published schemes. */
  subjects?: Subject[];
  /** True if the record is an example, not a finding of the publisher. */
  illustrative?: boolean;
  /** The record ID, under the name used in paths. */
  evidence_id: string;
  /** The type of the evidence. */
  evidence_type: EvidenceType;
  /** What was found, with figures, in a sentence or two. */
  finding: string;
  /** The certainty of the finding. */
  evidence_label: EvidenceLabel;
  /** Who rated the certainty, and by which scheme. Required unless the label is not_rated. */
  label_basis?: LabelBasis;
  /** The question that the finding answers: who, what, against what, and which outcome. */
  comparison?: Comparison;
  /** The size of the effect that was found. */
  effect?: EffectSize;
  /** The IDs of the statistics that the finding consists of. */
  statistic_ids?: string[];
  /** The IDs of the entities that the finding is about. */
  entity_ids?: string[];
  /** A member of the publisher's own. */
  [x: `x_${string}`]: unknown;
}

export type Stance =
  | "supports"
  | "disputes"
  | "qualifies"
  | "context";

export interface ClaimEvidence {
  /** The ID of the evidence. */
  evidence_id: string;
  /** The stance of the evidence on the claim. */
  stance: Stance;
}

/** A claim, the evidence for and against it, and the limits within which it holds. */
export interface ProofClaim {
  /** The record ID. It is never reused and never renamed. */
  id: string;
  /** The kind of the record. */
  kind: "proof_claim";
  /** The version of this record: 1 at first, and one more after each change of its content. */
  version: number;
  /** A title in plain text, at most 160 characters. */
  title: string;
  /** What the record says, in a sentence or two of plain text. */
  summary: string;
  /** The limits of the claim: what it does not cover. */
  claim_boundary: ClaimBoundary;
  /** Links to the sources of the record, at least one. */
  source_links: SourceLink[];
  /** The day on which someone last checked the record against its sources. */
  verification_date: string;
  /** Who checked it on that day, if the publisher names them. */
  verified_by?: string;
  /** Changes to the sources; empty if there were none. */
  source_updates: SourceUpdate[];
  /** Errors in this record that were corrected; empty if there were none. */
  corrections: Correction[];
  /** The day on which the record was first published. */
  published_date: string;
  /** The day on which its content last changed. */
  updated_date: string;
  /** Where the record was first published, if that was before this service published it. */
  first_published_elsewhere?: string;
  /** The SPDX identifier of the record's licence, if it differs from the publisher's. */
  license?: string;
  /** Other names of the record elsewhere. */
  aliases?: string[];
  /** The ID of the record of the same kind that replaces it. */
  replaced_by?: string;
  /** The IDs of other records that may interest the reader. */
  see_also?: string[];
  /** The subjects of the record, as codes of published schemes. */
  subjects?: Subject[];
  /** True if the record is an example, not a finding of the publisher. */
  illustrative?: boolean;
  /** The record ID, under the name used in paths. */
  claim_id: string;
  /** The claim, in a sentence that can be true or false. */
  claim: string;
  /** The evidence for and against the claim. */
  evidence: ClaimEvidence[];
  /** The certainty of the claim: no stronger than its best supporting evidence. */
  evidence_label?: EvidenceLabel;
  /** Which new findings would change the claim or its certainty, in a sentence or two. */
  what_would_change_it?: string;
  /** The ID of the organization that makes the claim. */
  claimant_id?: string;
  /** A member of the publisher's own. */
  [x: `x_${string}`]: unknown;
}

export type AreaScheme =
  | "iso3166"
  | "un_m49"
  | "entity"
  | (string & {});

export type ObsStatus =
  | "A"
  | "B"
  | "D"
  | "E"
  | "F"
  | "G"
  | "H"
  | "I"
  | "J"
  | "K"
  | "L"
  | "M"
  | "N"
  | "O"
  | "P"
  | "Q"
  | "S"
  | "U"
  | "V"
  | "W";

/** One value of one indicator, for one area and one period. */
export interface HealthcareStatistic {
  /** The record ID. It is never reused and never renamed. */
  id: string;
  /** The kind of the record. */
  kind: "healthcare_statistic";
  /** The version of this record: 1 at first, and one more after each change of its content. */
  version: number;
  /** A title in plain text, at most 160 characters. */
  title: string;
  /** What the record says, in a sentence or two of plain text. */
  summary: string;
  /** The limits of the claim: what it does not cover. */
  claim_boundary: ClaimBoundary;
  /** Links to the sources of the record, at least one. */
  source_links: SourceLink[];
  /** The day on which someone last checked the record against its sources. */
  verification_date: string;
  /** Who checked it on that day, if the publisher names them. */
  verified_by?: string;
  /** Changes to the sources; empty if there were none. */
  source_updates: SourceUpdate[];
  /** Errors in this record that were corrected; empty if there were none. */
  corrections: Correction[];
  /** The day on which the record was first published. */
  published_date: string;
  /** The day on which its content last changed. */
  updated_date: string;
  /** Where the record was first published, if that was before this service published it. */
  first_published_elsewhere?: string;
  /** The SPDX identifier of the record's licence, if it differs from the publisher's. */
  license?: string;
  /** Other names of the record elsewhere. */
  aliases?: string[];
  /** The ID of the record of the same kind that replaces it. */
  replaced_by?: string;
  /** The IDs of other records that may interest the reader. */
  see_also?: string[];
  /** The subjects of the record, as codes of published schemes. */
  subjects?: Subject[];
  /** True if the record is an example, not a finding of the publisher. */
  illustrative?: boolean;
  /** The short code of the indicator, the same for all its values, such as mcv1. */
  indicator: string;
  /** The scheme of the code in ref_area: one of these, or a scheme that stele.yaml names under areas. */
  ref_area_scheme: AreaScheme;
  /** The area of the value, as a code of that scheme. */
  ref_area: string;
  /** The period of the value. */
  time_period: string;
  /** The edition of the source that gives the value, by its year, month or day, if values of several editions are published together. */
  vintage?: string;
  /** The value. A statistic has this or one of less_than, greater_than and code, unless its obs_status says why there is no value. */
  value?: number | Digits;
  /** An upper bound, if the source gives only that, such as <5. */
  less_than?: number | Digits;
  /** A lower bound, if the source gives only that, such as >95. */
  greater_than?: number | Digits;
  /** The answer if it is not a quantity, as one of the codes of the indicator's entity. */
  code?: string;
  /** The short code of the unit, such as percent or deaths. */
  unit: string;
  /** The unit in words, such as per cent of one-year-olds. */
  unit_label: string;
  /** The status of the value, as in SDMX. */
  obs_status: ObsStatus;
  /** The number of decimals to show. */
  decimals?: number;
  /** The lower end of the interval that contains the value. */
  lower?: number | Digits;
  /** The upper end of the interval. */
  upper?: number | Digits;
  /** The type of the interval. */
  interval?: Interval;
  /** The interval's level in per cent, such as 95. */
  level?: number | Digits;
  /** The count, if the value is a proportion or a rate. */
  numerator?: number | Digits;
  /** The total that the count is divided by. */
  denominator?: number | Digits;
  /** Other dimensions by which the value is broken down, such as sex and age. */
  dimensions?: Record<string, string>;
  /** What a reader of this one value needs to know, such as a footnote of the source. */
  note?: string;
  /** How the value was obtained. */
  method?: string;
  /** The ID of the entity that describes the indicator. */
  indicator_id?: string;
  /** A member of the publisher's own. */
  [x: `x_${string}`]: unknown;
}

export type SourceType =
  | "dataset"
  | "article"
  | "review"
  | "guideline"
  | "report"
  | "web_page"
  | "legislation";

export interface SourceLicense {
  /** The name of the licence. */
  name: string;
  /** The URL of the licence's text. */
  url?: string;
}

/** A publication or data set that other records rest on. */
export interface SourceObject {
  /** The record ID. It is never reused and never renamed. */
  id: string;
  /** The kind of the record. */
  kind: "source_object";
  /** The version of this record: 1 at first, and one more after each change of its content. */
  version: number;
  /** A title in plain text, at most 160 characters. */
  title: string;
  /** What the record says, in a sentence or two of plain text. */
  summary: string;
  /** The limits of the claim: what it does not cover. */
  claim_boundary?: ClaimBoundary;
  /** Links to the sources of the record, at least one. */
  source_links: SourceLink[];
  /** The day on which someone last checked the record against its sources. */
  verification_date: string;
  /** Who checked it on that day, if the publisher names them. */
  verified_by?: string;
  /** Changes to the sources; empty if there were none. */
  source_updates: SourceUpdate[];
  /** Errors in this record that were corrected; empty if there were none. */
  corrections: Correction[];
  /** The day on which the record was first published. */
  published_date: string;
  /** The day on which its content last changed. */
  updated_date: string;
  /** Where the record was first published, if that was before this service published it. */
  first_published_elsewhere?: string;
  /** The SPDX identifier of the record's licence, if it differs from the publisher's. */
  license?: string;
  /** Other names of the record elsewhere. */
  aliases?: string[];
  /** The ID of the record of the same kind that replaces it. */
  replaced_by?: string;
  /** The IDs of other records that may interest the reader. */
  see_also?: string[];
  /** The subjects of the record, as codes of published schemes. */
  subjects?: Subject[];
  /** True if the record is an example, not a finding of the publisher. */
  illustrative?: boolean;
  /** The type of the source. */
  source_type: SourceType;
  /** The producer of the source. */
  producer: string;
  /** The full citation, as in a bibliography. */
  citation_full: string;
  /** The URL of the source. */
  url_main: string;
  /** The day on which the source was published. */
  date_published?: string;
  /** The day on which the source was read or retrieved. */
  date_accessed?: string;
  /** The URL for downloading the data of the source. */
  url_download?: string;
  /** The producer's name for this version. */
  version_producer?: string;
  /** The licence of the source. */
  source_license?: SourceLicense;
  /** The identifiers by scheme, such as doi and pmid. */
  identifiers?: Record<string, string>;
  /** The SHA-256 of the file that was read, as 64 lower-case hexadecimal digits. */
  sha256?: string;
  /** The SHA-256 of the source's plain text in the publisher's folder, with which quotes are compared. The text itself is not published. */
  text_sha256?: string;
  /** A member of the publisher's own. */
  [x: `x_${string}`]: unknown;
}

/** A public document that illustrates a subject. It is never evidence. */
export interface PublicReference {
  /** The record ID. It is never reused and never renamed. */
  id: string;
  /** The kind of the record. */
  kind: "public_reference";
  /** The version of this record: 1 at first, and one more after each change of its content. */
  version: number;
  /** A title in plain text, at most 160 characters. */
  title: string;
  /** What the record says, in a sentence or two of plain text. */
  summary: string;
  /** The limits of the claim: what it does not cover. */
  claim_boundary?: ClaimBoundary;
  /** Links to the sources of the record, at least one. */
  source_links: SourceLink[];
  /** The day on which someone last checked the record against its sources. */
  verification_date: string;
  /** Who checked it on that day, if the publisher names them. */
  verified_by?: string;
  /** Changes to the sources; empty if there were none. */
  source_updates: SourceUpdate[];
  /** Errors in this record that were corrected; empty if there were none. */
  corrections: Correction[];
  /** The day on which the record was first published. */
  published_date: string;
  /** The day on which its content last changed. */
  updated_date: string;
  /** Where the record was first published, if that was before this service published it. */
  first_published_elsewhere?: string;
  /** The SPDX identifier of the record's licence, if it differs from the publisher's. */
  license?: string;
  /** Other names of the record elsewhere. */
  aliases?: string[];
  /** The ID of the record of the same kind that replaces it. */
  replaced_by?: string;
  /** The IDs of other records that may interest the reader. */
  see_also?: string[];
  /** The subjects of the record, as codes of published schemes. */
  subjects?: Subject[];
  /** True if the record is an example, not a finding of the publisher. */
  illustrative?: boolean;
  /** What the reference shows, and why it is only an illustration. */
  reference_note: string;
  /** The IDs of the records that it illustrates. */
  illustrates?: string[];
  /** A member of the publisher's own. */
  [x: `x_${string}`]: unknown;
}

/** A record as a node of the graph. */
export interface GraphNode {
  /** The record ID. It is never reused and never renamed. */
  id: string;
  /** The kind of the record. */
  kind: "graph_node";
  /** The version of this record: 1 at first, and one more after each change of its content. */
  version: number;
  /** A title in plain text, at most 160 characters. */
  title?: string;
  /** What the record says, in a sentence or two of plain text. */
  summary?: string;
  /** The limits of the claim: what it does not cover. */
  claim_boundary?: ClaimBoundary;
  /** Links to the sources of the record, at least one. */
  source_links?: SourceLink[];
  /** The day on which someone last checked the record against its sources. */
  verification_date?: string;
  /** Who checked it on that day, if the publisher names them. */
  verified_by?: string;
  /** Changes to the sources; empty if there were none. */
  source_updates?: SourceUpdate[];
  /** Errors in this record that were corrected; empty if there were none. */
  corrections?: Correction[];
  /** The day on which the record was first published. */
  published_date?: string;
  /** The day on which its content last changed. */
  updated_date?: string;
  /** Where the record was first published, if that was before this service published it. */
  first_published_elsewhere?: string;
  /** The SPDX identifier of the record's licence, if it differs from the publisher's. */
  license?: string;
  /** Other names of the record elsewhere. */
  aliases?: string[];
  /** The ID of the record of the same kind that replaces it. */
  replaced_by?: string;
  /** The IDs of other records that may interest the reader. */
  see_also?: string[];
  /** The subjects of the record, as codes of published schemes. */
  subjects?: Subject[];
  /** True if the record is an example, not a finding of the publisher. */
  illustrative?: boolean;
  /** The ID of the record that the node represents. */
  record_id: string;
  /** The kind of that record. */
  record_kind: KindName;
  /** The label of the node. */
  label: string;
  /** A member of the publisher's own. */
  [x: `x_${string}`]: unknown;
}

export type Relation =
  | "supports"
  | "disputes"
  | "qualifies"
  | "cites"
  | "derived_from"
  | "about"
  | "claimed_by"
  | "part_of"
  | "replaces"
  | "responds_to"
  | "recommends";

/** A relation between two records. */
export interface GraphEdge {
  /** The record ID. It is never reused and never renamed. */
  id: string;
  /** The kind of the record. */
  kind: "graph_edge";
  /** The version of this record: 1 at first, and one more after each change of its content. */
  version: number;
  /** A title in plain text, at most 160 characters. */
  title?: string;
  /** What the record says, in a sentence or two of plain text. */
  summary?: string;
  /** The limits of the claim: what it does not cover. */
  claim_boundary?: ClaimBoundary;
  /** Links to the sources of the record, at least one. */
  source_links?: SourceLink[];
  /** The day on which someone last checked the record against its sources. */
  verification_date?: string;
  /** Who checked it on that day, if the publisher names them. */
  verified_by?: string;
  /** Changes to the sources; empty if there were none. */
  source_updates?: SourceUpdate[];
  /** Errors in this record that were corrected; empty if there were none. */
  corrections?: Correction[];
  /** The day on which the record was first published. */
  published_date?: string;
  /** The day on which its content last changed. */
  updated_date?: string;
  /** Where the record was first published, if that was before this service published it. */
  first_published_elsewhere?: string;
  /** The SPDX identifier of the record's licence, if it differs from the publisher's. */
  license?: string;
  /** Other names of the record elsewhere. */
  aliases?: string[];
  /** The ID of the record of the same kind that replaces it. */
  replaced_by?: string;
  /** The IDs of other records that may interest the reader. */
  see_also?: string[];
  /** The subjects of the record, as codes of published schemes. */
  subjects?: Subject[];
  /** True if the record is an example, not a finding of the publisher. */
  illustrative?: boolean;
  /** The start of the edge: the ID of a record, or of a node that the publisher wrote. */
  source: string;
  /** The end of the edge, as for source. */
  target: string;
  /** The relation of the source to the target. */
  relation: Relation;
  /** Whether the direction of the edge matters. */
  directed: boolean;
  /** The ID of the record that asserts the edge: a source, an organization, or the record with the reference. */
  asserted_by: string;
  /** A member of the publisher's own. */
  [x: `x_${string}`]: unknown;
}

export type ChangeType =
  | "created"
  | "updated"
  | "reverified"
  | "source_updated"
  | "corrected"
  | "retracted"
  | "removed"
  | "redacted"
  | "restored"
  | "relicensed"
  | "areas_changed";

export interface RecordDigest {
  /** The record's version. */
  version: number;
  /** The SHA-256 of the record's canonical bytes; null if that version was redacted. */
  sha256: string | null;
}

/** A change to a record between one release and the next. */
export interface ChangeEvent {
  /** The record ID. It is never reused and never renamed. */
  id: string;
  /** The kind of the record. */
  kind: "change_event";
  /** The version of this record: 1 at first, and one more after each change of its content. */
  version: number;
  /** A title in plain text, at most 160 characters. */
  title?: string;
  /** What the record says, in a sentence or two of plain text. */
  summary?: string;
  /** The limits of the claim: what it does not cover. */
  claim_boundary?: ClaimBoundary;
  /** Links to the sources of the record, at least one. */
  source_links?: SourceLink[];
  /** The day on which someone last checked the record against its sources. */
  verification_date?: string;
  /** Who checked it on that day, if the publisher names them. */
  verified_by?: string;
  /** Changes to the sources; empty if there were none. */
  source_updates?: SourceUpdate[];
  /** Errors in this record that were corrected; empty if there were none. */
  corrections?: Correction[];
  /** The day on which the record was first published. */
  published_date: string;
  /** The day on which its content last changed. */
  updated_date?: string;
  /** Where the record was first published, if that was before this service published it. */
  first_published_elsewhere?: string;
  /** The SPDX identifier of the record's licence, if it differs from the publisher's. */
  license?: string;
  /** Other names of the record elsewhere. */
  aliases?: string[];
  /** The ID of the record of the same kind that replaces it. */
  replaced_by?: string;
  /** The IDs of other records that may interest the reader. */
  see_also?: string[];
  /** The subjects of the record, as codes of published schemes. */
  subjects?: Subject[];
  /** True if the record is an example, not a finding of the publisher. */
  illustrative?: boolean;
  /** The ID of the record that changed; for a change of licence or notice, the folder of the kind; for areas_changed, areas. and the name of the scheme. */
  record_id: string;
  /** The kind of that record. */
  record_kind: KindName;
  /** What happened to the record. */
  change_type: ChangeType;
  /** The record before the change; null if it did not exist. */
  before: RecordDigest | null;
  /** The record after the change; null if it was removed. */
  after: RecordDigest | null;
  /** JSON Pointers to the changed members, sorted. */
  changed_fields: string[];
  /** The versions of the record that this release redacted; the summary gives the reason. */
  redacted_versions?: number[];
  /** The ID of the release with the change. */
  release: string;
  /** A member of the publisher's own. */
  [x: `x_${string}`]: unknown;
}

export type EntityType =
  | "organization"
  | "place"
  | "population"
  | "condition"
  | "intervention"
  | "outcome"
  | "indicator";

export interface MeasureDimension {
  /** The name of the dimension in statistics, such as sex. */
  name: string;
  /** The name on pages. */
  label?: string;
  /** The codes of the dimension, with their meanings; any text if omitted. */
  codes?: Record<string, string>;
}

export interface MeasureBreak {
  /** The first period with the new method. */
  time_period: string;
  /** What changed, in a sentence. */
  summary: string;
}

export type Aggregation =
  | "sum"
  | "mean"
  | "weighted_mean"
  | "none";

export interface Measure {
  /** The short code of the indicator, which its statistics have in the member indicator. */
  code: string;
  /** The exact definition of what is measured: who or what is counted, and who is not. */
  definition?: string;
  /** The short code of the unit of its values. */
  unit?: string;
  /** The unit in words. */
  unit_label?: string;
  /** The smallest possible value. */
  min?: number | Digits;
  /** The largest possible value. */
  max?: number | Digits;
  /** The codes that replace values, with their meanings, if the answers are not quantities. */
  codes?: Record<string, string>;
  /** The dimensions by which the indicator's values may be broken down. */
  dimensions?: MeasureDimension[];
  /** How the values are produced. */
  method?: string;
  /** When its method changed, so that earlier and later values are not comparable. */
  breaks?: MeasureBreak[];
  /** How the values of parts are combined into that of the whole. */
  aggregation?: Aggregation;
  /** The number of periods that pages look back if a period has no value (default 5). */
  look_back?: number;
}

/** An organization, place, population, condition, intervention, outcome or indicator that records are about. Not used for people. */
export interface Entity {
  /** The record ID. It is never reused and never renamed. */
  id: string;
  /** The kind of the record. */
  kind: "entity";
  /** The version of this record: 1 at first, and one more after each change of its content. */
  version: number;
  /** A title in plain text, at most 160 characters. */
  title: string;
  /** What the record says, in a sentence or two of plain text. */
  summary: string;
  /** The limits of the claim: what it does not cover. */
  claim_boundary?: ClaimBoundary;
  /** Links to the sources of the record, at least one. */
  source_links: SourceLink[];
  /** The day on which someone last checked the record against its sources. */
  verification_date: string;
  /** Who checked it on that day, if the publisher names them. */
  verified_by?: string;
  /** Changes to the sources; empty if there were none. */
  source_updates: SourceUpdate[];
  /** Errors in this record that were corrected; empty if there were none. */
  corrections: Correction[];
  /** The day on which the record was first published. */
  published_date: string;
  /** The day on which its content last changed. */
  updated_date: string;
  /** Where the record was first published, if that was before this service published it. */
  first_published_elsewhere?: string;
  /** The SPDX identifier of the record's licence, if it differs from the publisher's. */
  license?: string;
  /** Other names of the record elsewhere. */
  aliases?: string[];
  /** The ID of the record of the same kind that replaces it. */
  replaced_by?: string;
  /** The IDs of other records that may interest the reader. */
  see_also?: string[];
  /** The subjects of the record, as codes of published schemes. */
  subjects?: Subject[];
  /** True if the record is an example, not a finding of the publisher. */
  illustrative?: boolean;
  /** The type of the entity. */
  entity_type: EntityType;
  /** The name of the entity. */
  name: string;
  /** URLs that identify the same thing elsewhere. */
  same_as?: string[];
  /** What an indicator measures and its possible values. Statistics with its ID as indicator_id are checked against it. */
  measure?: Measure;
  /** A member of the publisher's own. */
  [x: `x_${string}`]: unknown;
}

/** An unmet need that evidence shows, and that could be acted on. */
export interface Opportunity {
  /** The record ID. It is never reused and never renamed. */
  id: string;
  /** The kind of the record. */
  kind: "opportunity";
  /** The version of this record: 1 at first, and one more after each change of its content. */
  version: number;
  /** A title in plain text, at most 160 characters. */
  title: string;
  /** What the record says, in a sentence or two of plain text. */
  summary: string;
  /** The limits of the claim: what it does not cover. */
  claim_boundary: ClaimBoundary;
  /** Links to the sources of the record, at least one. */
  source_links: SourceLink[];
  /** The day on which someone last checked the record against its sources. */
  verification_date: string;
  /** Who checked it on that day, if the publisher names them. */
  verified_by?: string;
  /** Changes to the sources; empty if there were none. */
  source_updates: SourceUpdate[];
  /** Errors in this record that were corrected; empty if there were none. */
  corrections: Correction[];
  /** The day on which the record was first published. */
  published_date: string;
  /** The day on which its content last changed. */
  updated_date: string;
  /** Where the record was first published, if that was before this service published it. */
  first_published_elsewhere?: string;
  /** The SPDX identifier of the record's licence, if it differs from the publisher's. */
  license?: string;
  /** Other names of the record elsewhere. */
  aliases?: string[];
  /** The ID of the record of the same kind that replaces it. */
  replaced_by?: string;
  /** The IDs of other records that may interest the reader. */
  see_also?: string[];
  /** The subjects of the record, as codes of published schemes. */
  subjects?: Subject[];
  /** True if the record is an example, not a finding of the publisher. */
  illustrative?: boolean;
  /** What is needed, and by whom. */
  need: string;
  /** The IDs of the evidence that shows the need. */
  evidence_ids: string[];
  /** The IDs of the signals that indicated the need. */
  signal_ids?: string[];
  /** The IDs of the entities that the need is about. */
  entity_ids?: string[];
  /** A member of the publisher's own. */
  [x: `x_${string}`]: unknown;
}

export type Direction =
  | "for"
  | "against"
  | "either";

export type Strength =
  | "strong"
  | "conditional";

/** Advice on what to do about an opportunity, with the strength of the advice. */
export interface Recommendation {
  /** The record ID. It is never reused and never renamed. */
  id: string;
  /** The kind of the record. */
  kind: "recommendation";
  /** The version of this record: 1 at first, and one more after each change of its content. */
  version: number;
  /** A title in plain text, at most 160 characters. */
  title: string;
  /** What the record says, in a sentence or two of plain text. */
  summary: string;
  /** The limits of the claim: what it does not cover. */
  claim_boundary: ClaimBoundary;
  /** Links to the sources of the record, at least one. */
  source_links: SourceLink[];
  /** The day on which someone last checked the record against its sources. */
  verification_date: string;
  /** Who checked it on that day, if the publisher names them. */
  verified_by?: string;
  /** Changes to the sources; empty if there were none. */
  source_updates: SourceUpdate[];
  /** Errors in this record that were corrected; empty if there were none. */
  corrections: Correction[];
  /** The day on which the record was first published. */
  published_date: string;
  /** The day on which its content last changed. */
  updated_date: string;
  /** Where the record was first published, if that was before this service published it. */
  first_published_elsewhere?: string;
  /** The SPDX identifier of the record's licence, if it differs from the publisher's. */
  license?: string;
  /** Other names of the record elsewhere. */
  aliases?: string[];
  /** The ID of the record of the same kind that replaces it. */
  replaced_by?: string;
  /** The IDs of other records that may interest the reader. */
  see_also?: string[];
  /** The subjects of the record, as codes of published schemes. */
  subjects?: Subject[];
  /** True if the record is an example, not a finding of the publisher. */
  illustrative?: boolean;
  /** What to do, as an instruction. */
  action: string;
  /** Whether to take the action. */
  direction: Direction;
  /** The strength of the recommendation. */
  strength: Strength;
  /** The IDs of the opportunities that it responds to. */
  opportunity_ids: string[];
  /** The IDs of the evidence that it rests on. */
  evidence_ids: string[];
  /** The people that the recommendation addresses. */
  audience?: string;
  /** A member of the publisher's own. */
  [x: `x_${string}`]: unknown;
}

export interface Option {
  /** The identifier of the option within this record. */
  option_id: string;
  /** The option in a few words. */
  label: string;
  /** The IDs of the recommendations about the option; may be empty. */
  recommendation_ids: string[];
}

export type DecisionLabel =
  | "adopt"
  | "adopt_with_conditions"
  | "more_research"
  | "do_not_adopt"
  | "undecided";

export interface Considerations {
  /** Is the problem a priority? */
  priority?: string;
  /** What are the benefits and harms? */
  effects?: string;
  /** What does it cost? */
  resources?: string;
  /** What does it do for equity? */
  equity?: string;
  /** Is it acceptable to those concerned? */
  acceptability?: string;
  /** Can it be done? */
  feasibility?: string;
}

/** A question to decide: the options, what is recommended for each, and what was decided. */
export interface DecisionView {
  /** The record ID. It is never reused and never renamed. */
  id: string;
  /** The kind of the record. */
  kind: "decision_view";
  /** The version of this record: 1 at first, and one more after each change of its content. */
  version: number;
  /** A title in plain text, at most 160 characters. */
  title: string;
  /** What the record says, in a sentence or two of plain text. */
  summary: string;
  /** The limits of the claim: what it does not cover. */
  claim_boundary: ClaimBoundary;
  /** Links to the sources of the record, at least one. */
  source_links: SourceLink[];
  /** The day on which someone last checked the record against its sources. */
  verification_date: string;
  /** Who checked it on that day, if the publisher names them. */
  verified_by?: string;
  /** Changes to the sources; empty if there were none. */
  source_updates: SourceUpdate[];
  /** Errors in this record that were corrected; empty if there were none. */
  corrections: Correction[];
  /** The day on which the record was first published. */
  published_date: string;
  /** The day on which its content last changed. */
  updated_date: string;
  /** Where the record was first published, if that was before this service published it. */
  first_published_elsewhere?: string;
  /** The SPDX identifier of the record's licence, if it differs from the publisher's. */
  license?: string;
  /** Other names of the record elsewhere. */
  aliases?: string[];
  /** The ID of the record of the same kind that replaces it. */
  replaced_by?: string;
  /** The IDs of other records that may interest the reader. */
  see_also?: string[];
  /** The subjects of the record, as codes of published schemes. */
  subjects?: Subject[];
  /** True if the record is an example, not a finding of the publisher. */
  illustrative?: boolean;
  /** The question to decide. */
  question: string;
  /** The options. */
  options: Option[];
  /** The decision. */
  decision_label: DecisionLabel;
  /** The ID of the chosen option; omitted while undecided. */
  chosen_option_id?: string;
  /** The considerations, as answers to the questions of GRADE. */
  considerations?: Considerations;
  /** A member of the publisher's own. */
  [x: `x_${string}`]: unknown;
}

/** The types of records, by the names of their kinds. */
export interface Kinds {
  signal: Signal;
  evidence: Evidence;
  proof_claim: ProofClaim;
  healthcare_statistic: HealthcareStatistic;
  source_object: SourceObject;
  public_reference: PublicReference;
  graph_node: GraphNode;
  graph_edge: GraphEdge;
  change_event: ChangeEvent;
  entity: Entity;
  opportunity: Opportunity;
  recommendation: Recommendation;
  decision_view: DecisionView;
}
