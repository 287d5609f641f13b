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
  /** Whom the claim is about. */
  population?: string;
  /** Where it holds. */
  place?: string;
  /** When it holds. */
  period?: string;
  /** What it says nothing about. */
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
  /** The words of the source, at most 2000 characters. [...] stands where some were left out. */
  text: string;
  /** Where the words stand, if the link's own locator does not say it. */
  locator?: string;
}

export interface SourceLink {
  /** The address of the source: an absolute http or https URL. */
  url: string;
  /** The ID of the source object that describes it. */
  source_id?: string;
  /** What part the source plays. */
  role: SourceRole;
  /** Where in the source: a page, a table, a section. */
  locator?: string;
  /** What the source says there, word for word. */
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
  /** Where the change was announced. */
  notice_url?: string;
  /** What changed, in a sentence. */
  summary: string;
  /** What that meant for this record. */
  effect: Effect;
  /** The version of this record that took the change in. */
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
  /** How grave the correction is. */
  type: CorrectionType;
  /** The version of this record that put it right. */
  in_version: number;
  /** The members that were corrected, such as claim or source_links. */
  fields: string[];
  /** What was wrong and what stands there now. */
  summary: string;
  /** Who noticed it. */
  reported_by?: string;
  /** The IDs of records that were lost or changed, and of which the correction takes account. */
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
  /** What kind of record this is. */
  kind: "signal";
  /** The version of this record: 1 at first, one more whenever its content changes. */
  version: number;
  /** A title in plain text, at most 160 characters. */
  title: string;
  /** What the record says, in a sentence or two of plain text. */
  summary: string;
  /** The limits of the claim: what it does not reach. */
  claim_boundary: ClaimBoundary;
  /** The links to the sources of the record, at least one. */
  source_links: SourceLink[];
  /** The day on which someone last checked the record against its sources. */
  verification_date: string;
  /** Who checked it then, where the publisher names them. */
  verified_by?: string;
  /** What happened to the sources since; empty where nothing did. */
  source_updates: SourceUpdate[];
  /** Where this record was wrong and was put right; empty where it was not. */
  corrections: Correction[];
  /** The day on which the record was first published. */
  published_date: string;
  /** The day on which its content last changed. */
  updated_date: string;
  /** Where the record was published before this service had it, where published_date is a day before that. */
  first_published_elsewhere?: string;
  /** The SPDX identifier of the record's licence, where it is not the publisher's. */
  license?: string;
  /** The other names by which the record is known elsewhere. */
  aliases?: string[];
  /** The ID of the record of the same kind that takes its place. */
  replaced_by?: string;
  /** The IDs of other records that a reader may want next. */
  see_also?: string[];
  /** What the record is about, in the codes of a published scheme. */
  subjects?: Subject[];
  /** True where the record is an example and not a finding of the publisher's. */
  illustrative?: boolean;
  /** The record ID again, under the name that the routes use. */
  signal_id: string;
  /** What sort of signal it is. */
  signal_type: SignalType;
  /** What was observed, with figures, in a sentence or two. */
  observation: string;
  /** The day on which it was noticed. */
  detected_date: string;
  /** The IDs of the evidence that shows it. A signal has these, or statistic_ids, or both. */
  evidence_ids?: string[];
  /** The IDs of the statistics that show it. */
  statistic_ids?: string[];
  /** The IDs of the entities that it is about. */
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
  /** By how many levels: 1 or 2; 0 if it was considered and changed nothing. */
  levels: number;
  /** The reason, in a sentence. */
  why: string;
}

export interface LabelBasis {
  /** The scheme by which it was rated, such as GRADE. */
  scheme: string;
  /** Who rated it. */
  assessed_by: Assessor;
  /** The ID of the source object that gives the rating. */
  source_id?: string;
  /** Where in that source. */
  locator?: string;
  /** The certainty before any factor is applied: in GRADE high for randomized trials, low for observational studies. */
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
  /** Whose risk it is, such as low risk. */
  label?: string;
  /** The ID of the source object that gives the assumed risk, if it is another. */
  source_id?: string;
}

export interface EffectSize {
  /** What is measured, such as risk ratio. */
  measure: string;
  /** The same as a code. Without it, known spellings of measure are recognized. */
  measure_code?: MeasureCode;
  /** The estimate. */
  value: number | Digits;
  /** The lower end of the interval. */
  lower?: number | Digits;
  /** The upper end of the interval. */
  upper?: number | Digits;
  /** What sort of interval it is. */
  interval?: Interval;
  /** The interval's level in per cent, such as 95. */
  level?: number | Digits;
  /** How many people were studied. */
  participants?: number;
  /** How many studies it rests on. */
  studies?: number;
  /** How large the effect is, as a person judged it against a threshold. It is never computed. */
  size?: Magnitude;
  /** The absolute effect, as the source printed it, for each assumed risk. */
  risks?: Risk[];
}

/** What a study, a statistic or a guideline found, and how certain that is. */
export interface Evidence {
  /** The record ID. It is never reused and never renamed. */
  id: string;
  /** What kind of record this is. */
  kind: "evidence";
  /** The version of this record: 1 at first, one more whenever its content changes. */
  version: number;
  /** A title in plain text, at most 160 characters. */
  title: string;
  /** What the record says, in a sentence or two of plain text. */
  summary: string;
  /** The limits of the claim: what it does not reach. */
  claim_boundary: ClaimBoundary;
  /** The links to the sources of the record, at least one. */
  source_links: SourceLink[];
  /** The day on which someone last checked the record against its sources. */
  verification_date: string;
  /** Who checked it then, where the publisher names them. */
  verified_by?: string;
  /** What happened to the sources since; empty where nothing did. */
  source_updates: SourceUpdate[];
  /** Where this record was wrong and was put right; empty where it was not. */
  corrections: Correction[];
  /** The day on which the record was first published. */
  published_date: string;
  /** The day on which its content last changed. */
  updated_date: string;
  /** Where the record was published before this service had it, where published_date is a day before that. */
  first_published_elsewhere?: string;
  /** The SPDX identifier of the record's licence, where it is not the publisher's. */
  license?: string;
  /** The other names by which the record is known elsewhere. */
  aliases?: string[];
  /** The ID of the record of the same kind that takes its place. */
  replaced_by?: string;
  /** The IDs of other records that a reader may want next. */
  see_also?: string[];
  /** What the record is about, in the codes of a published scheme. */
  subjects?: Subject[];
  /** True where the record is an example and not a finding of the publisher's. */
  illustrative?: boolean;
  /** The record ID again, under the name that the routes use. */
  evidence_id: string;
  /** What sort of evidence it is. */
  evidence_type: EvidenceType;
  /** What was found, with figures, in a sentence or two. */
  finding: string;
  /** How certain the finding is. */
  evidence_label: EvidenceLabel;
  /** Who rated the certainty, and by which scheme. Needed unless the label is not_rated. */
  label_basis?: LabelBasis;
  /** The question that the finding answers: who, what, against what, and which outcome. */
  comparison?: Comparison;
  /** The size of the effect that was found. */
  effect?: EffectSize;
  /** The IDs of the statistics that the finding is made of. */
  statistic_ids?: string[];
  /** The IDs of the entities that it is about. */
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
  /** How it bears on the claim. */
  stance: Stance;
}

/** A claim, the evidence for and against it, and the limits within which it holds. */
export interface ProofClaim {
  /** The record ID. It is never reused and never renamed. */
  id: string;
  /** What kind of record this is. */
  kind: "proof_claim";
  /** The version of this record: 1 at first, one more whenever its content changes. */
  version: number;
  /** A title in plain text, at most 160 characters. */
  title: string;
  /** What the record says, in a sentence or two of plain text. */
  summary: string;
  /** The limits of the claim: what it does not reach. */
  claim_boundary: ClaimBoundary;
  /** The links to the sources of the record, at least one. */
  source_links: SourceLink[];
  /** The day on which someone last checked the record against its sources. */
  verification_date: string;
  /** Who checked it then, where the publisher names them. */
  verified_by?: string;
  /** What happened to the sources since; empty where nothing did. */
  source_updates: SourceUpdate[];
  /** Where this record was wrong and was put right; empty where it was not. */
  corrections: Correction[];
  /** The day on which the record was first published. */
  published_date: string;
  /** The day on which its content last changed. */
  updated_date: string;
  /** Where the record was published before this service had it, where published_date is a day before that. */
  first_published_elsewhere?: string;
  /** The SPDX identifier of the record's licence, where it is not the publisher's. */
  license?: string;
  /** The other names by which the record is known elsewhere. */
  aliases?: string[];
  /** The ID of the record of the same kind that takes its place. */
  replaced_by?: string;
  /** The IDs of other records that a reader may want next. */
  see_also?: string[];
  /** What the record is about, in the codes of a published scheme. */
  subjects?: Subject[];
  /** True where the record is an example and not a finding of the publisher's. */
  illustrative?: boolean;
  /** The record ID again, under the name that the routes use. */
  claim_id: string;
  /** The claim, in a sentence that can be true or false. */
  claim: string;
  /** The evidence that bears on the claim, and how. */
  evidence: ClaimEvidence[];
  /** How certain the claim is: no stronger than its best supporting evidence. */
  evidence_label?: EvidenceLabel;
  /** The ID of the organization that makes the claim. */
  claimant_id?: string;
  /** A member of the publisher's own. */
  [x: `x_${string}`]: unknown;
}

export type AreaScheme =
  | "iso3166"
  | "un_m49"
  | "entity";

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
  /** What kind of record this is. */
  kind: "healthcare_statistic";
  /** The version of this record: 1 at first, one more whenever its content changes. */
  version: number;
  /** A title in plain text, at most 160 characters. */
  title: string;
  /** What the record says, in a sentence or two of plain text. */
  summary: string;
  /** The limits of the claim: what it does not reach. */
  claim_boundary: ClaimBoundary;
  /** The links to the sources of the record, at least one. */
  source_links: SourceLink[];
  /** The day on which someone last checked the record against its sources. */
  verification_date: string;
  /** Who checked it then, where the publisher names them. */
  verified_by?: string;
  /** What happened to the sources since; empty where nothing did. */
  source_updates: SourceUpdate[];
  /** Where this record was wrong and was put right; empty where it was not. */
  corrections: Correction[];
  /** The day on which the record was first published. */
  published_date: string;
  /** The day on which its content last changed. */
  updated_date: string;
  /** Where the record was published before this service had it, where published_date is a day before that. */
  first_published_elsewhere?: string;
  /** The SPDX identifier of the record's licence, where it is not the publisher's. */
  license?: string;
  /** The other names by which the record is known elsewhere. */
  aliases?: string[];
  /** The ID of the record of the same kind that takes its place. */
  replaced_by?: string;
  /** The IDs of other records that a reader may want next. */
  see_also?: string[];
  /** What the record is about, in the codes of a published scheme. */
  subjects?: Subject[];
  /** True where the record is an example and not a finding of the publisher's. */
  illustrative?: boolean;
  /** The short code of the indicator, the same for all its values, such as mcv1. */
  indicator: string;
  /** Which codes ref_area uses: one of these, or a scheme that stele.yaml names under areas. */
  ref_area_scheme: AreaScheme;
  /** The area that the value is for, as a code of that scheme. */
  ref_area: string;
  /** The period that the value is for. */
  time_period: string;
  /** The edition of the source that gives the value, by its year, month or day, where values of several editions stand side by side. */
  vintage?: string;
  /** The value. A statistic has this or one of less_than, greater_than and code, unless its obs_status says why there is none. */
  value?: number | Digits;
  /** What the value is less than, where the source gives that alone, such as <5. */
  less_than?: number | Digits;
  /** What the value is greater than, where the source gives that alone, such as >95. */
  greater_than?: number | Digits;
  /** The answer where it is no quantity, as one of the codes that the indicator's entity lists. */
  code?: string;
  /** The short code of the unit, such as percent or deaths. */
  unit: string;
  /** The unit in words, such as per cent of one-year-olds. */
  unit_label: string;
  /** The status of the value, as in SDMX. */
  obs_status: ObsStatus;
  /** How many decimals to show. */
  decimals?: number;
  /** The lower end of the interval in which the value lies. */
  lower?: number | Digits;
  /** The upper end of that interval. */
  upper?: number | Digits;
  /** What sort of interval it is. */
  interval?: Interval;
  /** The interval's level in per cent, such as 95. */
  level?: number | Digits;
  /** What was counted, where the value is a part or a rate. */
  numerator?: number | Digits;
  /** What it is a part of, or was divided by. */
  denominator?: number | Digits;
  /** What else the value is broken down by, such as sex and age. */
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
  /** The licence's name. */
  name: string;
  /** Where its text stands. */
  url?: string;
}

/** A publication or data set that other records rest on. */
export interface SourceObject {
  /** The record ID. It is never reused and never renamed. */
  id: string;
  /** What kind of record this is. */
  kind: "source_object";
  /** The version of this record: 1 at first, one more whenever its content changes. */
  version: number;
  /** A title in plain text, at most 160 characters. */
  title: string;
  /** What the record says, in a sentence or two of plain text. */
  summary: string;
  /** The limits of the claim: what it does not reach. */
  claim_boundary?: ClaimBoundary;
  /** The links to the sources of the record, at least one. */
  source_links: SourceLink[];
  /** The day on which someone last checked the record against its sources. */
  verification_date: string;
  /** Who checked it then, where the publisher names them. */
  verified_by?: string;
  /** What happened to the sources since; empty where nothing did. */
  source_updates: SourceUpdate[];
  /** Where this record was wrong and was put right; empty where it was not. */
  corrections: Correction[];
  /** The day on which the record was first published. */
  published_date: string;
  /** The day on which its content last changed. */
  updated_date: string;
  /** Where the record was published before this service had it, where published_date is a day before that. */
  first_published_elsewhere?: string;
  /** The SPDX identifier of the record's licence, where it is not the publisher's. */
  license?: string;
  /** The other names by which the record is known elsewhere. */
  aliases?: string[];
  /** The ID of the record of the same kind that takes its place. */
  replaced_by?: string;
  /** The IDs of other records that a reader may want next. */
  see_also?: string[];
  /** What the record is about, in the codes of a published scheme. */
  subjects?: Subject[];
  /** True where the record is an example and not a finding of the publisher's. */
  illustrative?: boolean;
  /** What sort of source it is. */
  source_type: SourceType;
  /** Who made it. */
  producer: string;
  /** The full citation, as a reader would find it in a bibliography. */
  citation_full: string;
  /** Where it can be found. */
  url_main: string;
  /** The day on which it was published. */
  date_published?: string;
  /** The day on which it was read or retrieved. */
  date_accessed?: string;
  /** Where its data can be downloaded. */
  url_download?: string;
  /** Its producer's name for this version. */
  version_producer?: string;
  /** The licence under which the source stands. */
  source_license?: SourceLicense;
  /** The identifiers by scheme, such as doi and pmid. */
  identifiers?: Record<string, string>;
  /** The SHA-256 of the file that was read, as 64 lower-case hexadecimal digits. */
  sha256?: string;
  /** The SHA-256 of its plain text as the publisher has it, with which quotes are compared. The text itself is not published. */
  text_sha256?: string;
  /** A member of the publisher's own. */
  [x: `x_${string}`]: unknown;
}

/** A public document that illustrates a subject. It is never evidence. */
export interface PublicReference {
  /** The record ID. It is never reused and never renamed. */
  id: string;
  /** What kind of record this is. */
  kind: "public_reference";
  /** The version of this record: 1 at first, one more whenever its content changes. */
  version: number;
  /** A title in plain text, at most 160 characters. */
  title: string;
  /** What the record says, in a sentence or two of plain text. */
  summary: string;
  /** The limits of the claim: what it does not reach. */
  claim_boundary?: ClaimBoundary;
  /** The links to the sources of the record, at least one. */
  source_links: SourceLink[];
  /** The day on which someone last checked the record against its sources. */
  verification_date: string;
  /** Who checked it then, where the publisher names them. */
  verified_by?: string;
  /** What happened to the sources since; empty where nothing did. */
  source_updates: SourceUpdate[];
  /** Where this record was wrong and was put right; empty where it was not. */
  corrections: Correction[];
  /** The day on which the record was first published. */
  published_date: string;
  /** The day on which its content last changed. */
  updated_date: string;
  /** Where the record was published before this service had it, where published_date is a day before that. */
  first_published_elsewhere?: string;
  /** The SPDX identifier of the record's licence, where it is not the publisher's. */
  license?: string;
  /** The other names by which the record is known elsewhere. */
  aliases?: string[];
  /** The ID of the record of the same kind that takes its place. */
  replaced_by?: string;
  /** The IDs of other records that a reader may want next. */
  see_also?: string[];
  /** What the record is about, in the codes of a published scheme. */
  subjects?: Subject[];
  /** True where the record is an example and not a finding of the publisher's. */
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
  /** What kind of record this is. */
  kind: "graph_node";
  /** The version of this record: 1 at first, one more whenever its content changes. */
  version: number;
  /** A title in plain text, at most 160 characters. */
  title?: string;
  /** What the record says, in a sentence or two of plain text. */
  summary?: string;
  /** The limits of the claim: what it does not reach. */
  claim_boundary?: ClaimBoundary;
  /** The links to the sources of the record, at least one. */
  source_links?: SourceLink[];
  /** The day on which someone last checked the record against its sources. */
  verification_date?: string;
  /** Who checked it then, where the publisher names them. */
  verified_by?: string;
  /** What happened to the sources since; empty where nothing did. */
  source_updates?: SourceUpdate[];
  /** Where this record was wrong and was put right; empty where it was not. */
  corrections?: Correction[];
  /** The day on which the record was first published. */
  published_date?: string;
  /** The day on which its content last changed. */
  updated_date?: string;
  /** Where the record was published before this service had it, where published_date is a day before that. */
  first_published_elsewhere?: string;
  /** The SPDX identifier of the record's licence, where it is not the publisher's. */
  license?: string;
  /** The other names by which the record is known elsewhere. */
  aliases?: string[];
  /** The ID of the record of the same kind that takes its place. */
  replaced_by?: string;
  /** The IDs of other records that a reader may want next. */
  see_also?: string[];
  /** What the record is about, in the codes of a published scheme. */
  subjects?: Subject[];
  /** True where the record is an example and not a finding of the publisher's. */
  illustrative?: boolean;
  /** The ID of the record that the node stands for. */
  record_id: string;
  /** The kind of that record. */
  record_kind: KindName;
  /** What to write at the node. */
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
  /** What kind of record this is. */
  kind: "graph_edge";
  /** The version of this record: 1 at first, one more whenever its content changes. */
  version: number;
  /** A title in plain text, at most 160 characters. */
  title?: string;
  /** What the record says, in a sentence or two of plain text. */
  summary?: string;
  /** The limits of the claim: what it does not reach. */
  claim_boundary?: ClaimBoundary;
  /** The links to the sources of the record, at least one. */
  source_links?: SourceLink[];
  /** The day on which someone last checked the record against its sources. */
  verification_date?: string;
  /** Who checked it then, where the publisher names them. */
  verified_by?: string;
  /** What happened to the sources since; empty where nothing did. */
  source_updates?: SourceUpdate[];
  /** Where this record was wrong and was put right; empty where it was not. */
  corrections?: Correction[];
  /** The day on which the record was first published. */
  published_date?: string;
  /** The day on which its content last changed. */
  updated_date?: string;
  /** Where the record was published before this service had it, where published_date is a day before that. */
  first_published_elsewhere?: string;
  /** The SPDX identifier of the record's licence, where it is not the publisher's. */
  license?: string;
  /** The other names by which the record is known elsewhere. */
  aliases?: string[];
  /** The ID of the record of the same kind that takes its place. */
  replaced_by?: string;
  /** The IDs of other records that a reader may want next. */
  see_also?: string[];
  /** What the record is about, in the codes of a published scheme. */
  subjects?: Subject[];
  /** True where the record is an example and not a finding of the publisher's. */
  illustrative?: boolean;
  /** Where the edge begins: ID of a record, or of a node that the publisher wrote. */
  source: string;
  /** Where the edge ends, likewise. */
  target: string;
  /** How the first is related to the second. */
  relation: Relation;
  /** Whether the direction of the edge matters. */
  directed: boolean;
  /** The ID of the record that says so: a source, an organization, or the record whose reference this is. */
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
  | "relicensed";

export interface RecordDigest {
  /** The record's version. */
  version: number;
  /** The SHA-256 of the record's canonical bytes; null where that version was redacted. */
  sha256: string | null;
}

/** What happened to a record between one release and the next. */
export interface ChangeEvent {
  /** The record ID. It is never reused and never renamed. */
  id: string;
  /** What kind of record this is. */
  kind: "change_event";
  /** The version of this record: 1 at first, one more whenever its content changes. */
  version: number;
  /** A title in plain text, at most 160 characters. */
  title?: string;
  /** What the record says, in a sentence or two of plain text. */
  summary?: string;
  /** The limits of the claim: what it does not reach. */
  claim_boundary?: ClaimBoundary;
  /** The links to the sources of the record, at least one. */
  source_links?: SourceLink[];
  /** The day on which someone last checked the record against its sources. */
  verification_date?: string;
  /** Who checked it then, where the publisher names them. */
  verified_by?: string;
  /** What happened to the sources since; empty where nothing did. */
  source_updates?: SourceUpdate[];
  /** Where this record was wrong and was put right; empty where it was not. */
  corrections?: Correction[];
  /** The day on which the record was first published. */
  published_date: string;
  /** The day on which its content last changed. */
  updated_date?: string;
  /** Where the record was published before this service had it, where published_date is a day before that. */
  first_published_elsewhere?: string;
  /** The SPDX identifier of the record's licence, where it is not the publisher's. */
  license?: string;
  /** The other names by which the record is known elsewhere. */
  aliases?: string[];
  /** The ID of the record of the same kind that takes its place. */
  replaced_by?: string;
  /** The IDs of other records that a reader may want next. */
  see_also?: string[];
  /** What the record is about, in the codes of a published scheme. */
  subjects?: Subject[];
  /** True where the record is an example and not a finding of the publisher's. */
  illustrative?: boolean;
  /** The ID of the record that changed; of a change of licence or notice, the folder of the kind. */
  record_id: string;
  /** The kind of that record. */
  record_kind: KindName;
  /** What happened to it. */
  change_type: ChangeType;
  /** The record before the change; null where there was none. */
  before: RecordDigest | null;
  /** The record after the change; null where it was removed. */
  after: RecordDigest | null;
  /** The JSON Pointers to what changed, sorted. */
  changed_fields: string[];
  /** The versions of the record that were taken out of the history with this release; the summary says why. */
  redacted_versions?: number[];
  /** The ID of the release that brought the change. */
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
  /** The name that the dimensions of statistics have, such as sex. */
  name: string;
  /** What pages call it. */
  label?: string;
  /** What the dimension can be, and what each means; anything where they are not listed. */
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
  /** The short code of the indicator, which its statistics have as indicator. */
  code: string;
  /** What is measured, exactly: who or what is counted, and who is not. */
  definition?: string;
  /** The short code of the unit that its values have. */
  unit?: string;
  /** That unit in words. */
  unit_label?: string;
  /** The least value that there can be. */
  min?: number | Digits;
  /** The greatest value that there can be. */
  max?: number | Digits;
  /** The codes that stand in the place of values, and what each means, where the answers are no quantities. */
  codes?: Record<string, string>;
  /** What its values may be broken down by. */
  dimensions?: MeasureDimension[];
  /** How it is made. */
  method?: string;
  /** When its method changed, so that values before and after do not compare. */
  breaks?: MeasureBreak[];
  /** How values of parts make that of the whole. */
  aggregation?: Aggregation;
  /** How many periods back pages look for a value where a period has none: 5 unless given. */
  look_back?: number;
}

/** An organization, place, population, condition, intervention, outcome or indicator that records are about. Not used for people. */
export interface Entity {
  /** The record ID. It is never reused and never renamed. */
  id: string;
  /** What kind of record this is. */
  kind: "entity";
  /** The version of this record: 1 at first, one more whenever its content changes. */
  version: number;
  /** A title in plain text, at most 160 characters. */
  title: string;
  /** What the record says, in a sentence or two of plain text. */
  summary: string;
  /** The limits of the claim: what it does not reach. */
  claim_boundary?: ClaimBoundary;
  /** The links to the sources of the record, at least one. */
  source_links: SourceLink[];
  /** The day on which someone last checked the record against its sources. */
  verification_date: string;
  /** Who checked it then, where the publisher names them. */
  verified_by?: string;
  /** What happened to the sources since; empty where nothing did. */
  source_updates: SourceUpdate[];
  /** Where this record was wrong and was put right; empty where it was not. */
  corrections: Correction[];
  /** The day on which the record was first published. */
  published_date: string;
  /** The day on which its content last changed. */
  updated_date: string;
  /** Where the record was published before this service had it, where published_date is a day before that. */
  first_published_elsewhere?: string;
  /** The SPDX identifier of the record's licence, where it is not the publisher's. */
  license?: string;
  /** The other names by which the record is known elsewhere. */
  aliases?: string[];
  /** The ID of the record of the same kind that takes its place. */
  replaced_by?: string;
  /** The IDs of other records that a reader may want next. */
  see_also?: string[];
  /** What the record is about, in the codes of a published scheme. */
  subjects?: Subject[];
  /** True where the record is an example and not a finding of the publisher's. */
  illustrative?: boolean;
  /** What sort of entity it is. */
  entity_type: EntityType;
  /** What it is called. */
  name: string;
  /** The addresses that stand for the same thing elsewhere. */
  same_as?: string[];
  /** What an indicator measures and what its values may be. Statistics that point to it by indicator_id are held to it. */
  measure?: Measure;
  /** A member of the publisher's own. */
  [x: `x_${string}`]: unknown;
}

/** An unmet need that evidence points to, and that could be acted on. */
export interface Opportunity {
  /** The record ID. It is never reused and never renamed. */
  id: string;
  /** What kind of record this is. */
  kind: "opportunity";
  /** The version of this record: 1 at first, one more whenever its content changes. */
  version: number;
  /** A title in plain text, at most 160 characters. */
  title: string;
  /** What the record says, in a sentence or two of plain text. */
  summary: string;
  /** The limits of the claim: what it does not reach. */
  claim_boundary: ClaimBoundary;
  /** The links to the sources of the record, at least one. */
  source_links: SourceLink[];
  /** The day on which someone last checked the record against its sources. */
  verification_date: string;
  /** Who checked it then, where the publisher names them. */
  verified_by?: string;
  /** What happened to the sources since; empty where nothing did. */
  source_updates: SourceUpdate[];
  /** Where this record was wrong and was put right; empty where it was not. */
  corrections: Correction[];
  /** The day on which the record was first published. */
  published_date: string;
  /** The day on which its content last changed. */
  updated_date: string;
  /** Where the record was published before this service had it, where published_date is a day before that. */
  first_published_elsewhere?: string;
  /** The SPDX identifier of the record's licence, where it is not the publisher's. */
  license?: string;
  /** The other names by which the record is known elsewhere. */
  aliases?: string[];
  /** The ID of the record of the same kind that takes its place. */
  replaced_by?: string;
  /** The IDs of other records that a reader may want next. */
  see_also?: string[];
  /** What the record is about, in the codes of a published scheme. */
  subjects?: Subject[];
  /** True where the record is an example and not a finding of the publisher's. */
  illustrative?: boolean;
  /** What is needed, and by whom. */
  need: string;
  /** The IDs of the evidence that shows the need. */
  evidence_ids: string[];
  /** The IDs of the signals that pointed to it. */
  signal_ids?: string[];
  /** The IDs of the entities that it is about. */
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

/** Advice on what to do about an opportunity, and how strongly it is meant. */
export interface Recommendation {
  /** The record ID. It is never reused and never renamed. */
  id: string;
  /** What kind of record this is. */
  kind: "recommendation";
  /** The version of this record: 1 at first, one more whenever its content changes. */
  version: number;
  /** A title in plain text, at most 160 characters. */
  title: string;
  /** What the record says, in a sentence or two of plain text. */
  summary: string;
  /** The limits of the claim: what it does not reach. */
  claim_boundary: ClaimBoundary;
  /** The links to the sources of the record, at least one. */
  source_links: SourceLink[];
  /** The day on which someone last checked the record against its sources. */
  verification_date: string;
  /** Who checked it then, where the publisher names them. */
  verified_by?: string;
  /** What happened to the sources since; empty where nothing did. */
  source_updates: SourceUpdate[];
  /** Where this record was wrong and was put right; empty where it was not. */
  corrections: Correction[];
  /** The day on which the record was first published. */
  published_date: string;
  /** The day on which its content last changed. */
  updated_date: string;
  /** Where the record was published before this service had it, where published_date is a day before that. */
  first_published_elsewhere?: string;
  /** The SPDX identifier of the record's licence, where it is not the publisher's. */
  license?: string;
  /** The other names by which the record is known elsewhere. */
  aliases?: string[];
  /** The ID of the record of the same kind that takes its place. */
  replaced_by?: string;
  /** The IDs of other records that a reader may want next. */
  see_also?: string[];
  /** What the record is about, in the codes of a published scheme. */
  subjects?: Subject[];
  /** True where the record is an example and not a finding of the publisher's. */
  illustrative?: boolean;
  /** What to do, as an instruction. */
  action: string;
  /** Whether to do it. */
  direction: Direction;
  /** How strongly it is meant. */
  strength: Strength;
  /** The IDs of the opportunities that it responds to. */
  opportunity_ids: string[];
  /** The IDs of the evidence that it rests on. */
  evidence_ids: string[];
  /** Whom it is addressed to. */
  audience?: string;
  /** A member of the publisher's own. */
  [x: `x_${string}`]: unknown;
}

export interface Option {
  /** The identifier of the option within this record. */
  option_id: string;
  /** The option in a few words. */
  label: string;
  /** The IDs of the recommendations that speak to it; may be empty. */
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
  /** What kind of record this is. */
  kind: "decision_view";
  /** The version of this record: 1 at first, one more whenever its content changes. */
  version: number;
  /** A title in plain text, at most 160 characters. */
  title: string;
  /** What the record says, in a sentence or two of plain text. */
  summary: string;
  /** The limits of the claim: what it does not reach. */
  claim_boundary: ClaimBoundary;
  /** The links to the sources of the record, at least one. */
  source_links: SourceLink[];
  /** The day on which someone last checked the record against its sources. */
  verification_date: string;
  /** Who checked it then, where the publisher names them. */
  verified_by?: string;
  /** What happened to the sources since; empty where nothing did. */
  source_updates: SourceUpdate[];
  /** Where this record was wrong and was put right; empty where it was not. */
  corrections: Correction[];
  /** The day on which the record was first published. */
  published_date: string;
  /** The day on which its content last changed. */
  updated_date: string;
  /** Where the record was published before this service had it, where published_date is a day before that. */
  first_published_elsewhere?: string;
  /** The SPDX identifier of the record's licence, where it is not the publisher's. */
  license?: string;
  /** The other names by which the record is known elsewhere. */
  aliases?: string[];
  /** The ID of the record of the same kind that takes its place. */
  replaced_by?: string;
  /** The IDs of other records that a reader may want next. */
  see_also?: string[];
  /** What the record is about, in the codes of a published scheme. */
  subjects?: Subject[];
  /** True where the record is an example and not a finding of the publisher's. */
  illustrative?: boolean;
  /** What has to be decided. */
  question: string;
  /** The options there are. */
  options: Option[];
  /** What was decided. */
  decision_label: DecisionLabel;
  /** The option that was chosen; left out while undecided. */
  chosen_option_id?: string;
  /** What was weighed. */
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
