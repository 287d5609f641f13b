"""The types of records, written by make docs. No stability of any schema is promised.

A record may also have members of the publisher's own, whose names begin with x_.
"""

from decimal import Decimal
from typing import Dict, Generic, List, Literal, Optional, TypedDict, TypeVar, Union

R = TypeVar("R")
Number = Union[int, Decimal]  # with the digits of its author


class Kind(str, Generic[R]):
    """The name of a kind, whose records have a type."""



KindName = Literal[
    "signal",
    "evidence",
    "proof_claim",
    "healthcare_statistic",
    "source_object",
    "public_reference",
    "graph_node",
    "graph_edge",
    "change_event",
    "entity",
    "opportunity",
    "recommendation",
    "decision_view",
]


class _ClaimBoundary(TypedDict):
    statement: str  # The limits of the claim in words.


class ClaimBoundary(_ClaimBoundary, total=False):
    population: str  # The people that the claim is about.
    place: str  # The places of the claim.
    period: str  # The period of the claim.
    excludes: List[str]  # Cases that the claim does not cover.


SourceRole = Literal[
    "primary",
    "secondary",
    "background",
    "disputed",
    "superseded",
    "archive",
]


class _Quote(TypedDict):
    text: str  # The source's exact words, at most 2000 characters. Use [...] for omitted words.


class Quote(_Quote, total=False):
    locator: str  # Where the words are in the source, if the link's own locator does not give it.


class _SourceLink(TypedDict):
    url: str  # The URL of the source: an absolute http or https URL.
    role: SourceRole  # The role of the source.


class SourceLink(_SourceLink, total=False):
    source_id: str  # The ID of the source object that describes the source.
    locator: str  # The place in the source: a page, a table, a section.
    quote: Quote  # The source's exact words.


UpdateType = Literal[
    "new_version",
    "new_edition",
    "data_revision",
    "addendum",
    "clarification",
    "correction",
    "expression_of_concern",
    "partial_retraction",
    "retraction",
    "withdrawal",
    "removal",
    "reinstatement",
    "moved",
]


Effect = Literal[
    "none",
    "already_reflected",
    "record_changed",
]


class _SourceUpdate(TypedDict):
    date: str  # The day on which the source changed.
    type: UpdateType  # How it changed.
    summary: str  # What changed, in a sentence.
    effect: Effect  # The impact on this record.


class SourceUpdate(_SourceUpdate, total=False):
    source_id: str  # The ID of the source object that changed.
    notice_url: str  # The URL of the announcement.
    in_version: int  # The version of this record that took the change into account.


CorrectionType = Literal[
    "correction",
    "clarification",
    "expression_of_concern",
    "partial_retraction",
    "retraction",
    "reinstatement",
]


class _Correction(TypedDict):
    date: str  # The day on which the record was corrected.
    type: CorrectionType  # The severity of the correction.
    in_version: int  # The version of this record with the correction.
    fields: List[str]  # The members that were corrected, such as claim or source_links.
    summary: str  # What was wrong, and what the record says now.


class Correction(_Correction, total=False):
    reported_by: str  # Who reported the error.
    because_of: List[str]  # The IDs of lost or changed records that the correction takes into account.


class _Subject(TypedDict):
    scheme: str  # The scheme's name, such as MeSH or ICD-11.
    code: str  # The code within the scheme.


class Subject(_Subject, total=False):
    pass


SignalType = Literal[
    "indicator_change",
    "event_report",
    "weak_signal",
    "trend",
    "wild_card",
]


class _Signal(TypedDict):
    id: str  # The record ID. It is never reused and never renamed.
    kind: Literal["signal"]  # The kind of the record.
    version: int  # The version of this record: 1 at first, and one more after each change of its content.
    title: str  # A title in plain text, at most 160 characters.
    summary: str  # What the record says, in a sentence or two of plain text.
    claim_boundary: ClaimBoundary  # The limits of the claim: what it does not cover.
    source_links: List[SourceLink]  # Links to the sources of the record, at least one.
    verification_date: str  # The day on which someone last checked the record against its sources.
    source_updates: List[SourceUpdate]  # Changes to the sources; empty if there were none.
    corrections: List[Correction]  # Errors in this record that were corrected; empty if there were none.
    published_date: str  # The day on which the record was first published.
    updated_date: str  # The day on which its content last changed.
    signal_id: str  # The record ID, under the name used in paths.
    signal_type: SignalType  # The type of the signal.
    observation: str  # What was observed, with figures, in a sentence or two.
    detected_date: str  # The day of the observation.


class Signal(_Signal, total=False):
    """Something observed that may matter: a change in an indicator, a report of an event, an early sign."""

    verified_by: str  # Who checked it on that day, if the publisher names them.
    first_published_elsewhere: str  # Where the record was first published, if that was before this service published it.
    license: str  # The SPDX identifier of the record's licence, if it differs from the publisher's.
    aliases: List[str]  # Other names of the record elsewhere.
    replaced_by: str  # The ID of the record of the same kind that replaces it.
    see_also: List[str]  # The IDs of other records that may interest the reader.
    subjects: List[Subject]  # The subjects of the record, as codes of published schemes.
    illustrative: bool  # True if the record is an example, not a finding of the publisher.
    evidence_ids: List[str]  # The IDs of the evidence for the observation. A signal has these, statistic_ids, or both.
    statistic_ids: List[str]  # The IDs of the statistics that show the observation.
    entity_ids: List[str]  # The IDs of the entities that the signal is about.


SIGNAL: Kind[Signal] = Kind("signal")


EvidenceType = Literal[
    "systematic_review",
    "randomized_trial",
    "observational_study",
    "modelled_estimate",
    "surveillance_report",
    "official_statistic",
    "guideline",
    "qualitative_study",
]


EvidenceLabel = Literal[
    "high",
    "moderate",
    "low",
    "very_low",
    "not_rated",
]


Assessor = Literal[
    "source",
    "service",
]


StartLabel = Literal[
    "high",
    "moderate",
    "low",
    "very_low",
]


CertaintyFactor = Literal[
    "risk_of_bias",
    "inconsistency",
    "indirectness",
    "imprecision",
    "publication_bias",
    "large_effect",
    "dose_response",
    "opposing_confounding",
]


class _LabelFactor(TypedDict):
    factor: CertaintyFactor  # What lowers or raises the certainty.
    levels: int  # The number of levels: 1 or 2, or 0 if the factor was considered but changed nothing.
    why: str  # The reason, in a sentence.


class LabelFactor(_LabelFactor, total=False):
    pass


class _LabelBasis(TypedDict):
    scheme: str  # The rating scheme, such as GRADE.
    assessed_by: Assessor  # Who rated it.


class LabelBasis(_LabelBasis, total=False):
    source_id: str  # The ID of the source object that gives the rating.
    locator: str  # The place in that source.
    start: StartLabel  # The certainty before any factor is applied: in GRADE, high for randomized trials and low for observational studies.
    factors: List[LabelFactor]  # The reasons that lower or raise the certainty. An empty list says that there are none.


class _Comparison(TypedDict):
    pass


class Comparison(_Comparison, total=False):
    population: str  # Who was studied.
    intervention: str  # What was done or given.
    comparator: str  # What it was compared with.
    outcome: str  # What was counted or measured.
    time: str  # When it was counted or measured.


MeasureCode = Literal[
    "rr",
    "or",
    "hr",
    "rate_ratio",
    "rd",
    "md",
    "smd",
]


Interval = Literal[
    "confidence",
    "credible",
    "prediction",
    "uncertainty",
    "range",
]


Magnitude = Literal[
    "large",
    "moderate",
    "small",
    "trivial",
]


class _Risk(TypedDict):
    assumed: str  # How many have the outcome without the intervention.
    per: int  # Of how many: people, or person-years for a rate; such as 1000.


class Risk(_Risk, total=False):
    corresponding: str  # How many have the outcome with the intervention. Without it, pages compute it.
    lower: str  # The lower end of its interval.
    upper: str  # The upper end of its interval.
    label: str  # The name of the group with this risk, such as low risk.
    source_id: str  # The ID of the source object that gives the assumed risk, if it is another.


class _EffectSize(TypedDict):
    measure: str  # What is measured, such as risk ratio.
    value: Number  # The estimate.


class EffectSize(_EffectSize, total=False):
    measure_code: MeasureCode  # The code of the measure. Without it, known spellings of measure are recognized.
    lower: Number  # The lower end of the interval.
    upper: Number  # The upper end of the interval.
    interval: Interval  # The type of the interval.
    level: Number  # The interval's level in per cent, such as 95.
    participants: int  # The number of people studied.
    studies: int  # The number of studies.
    size: Magnitude  # How large the effect is, as a person judged it against a threshold. It is never computed.
    risks: List[Risk]  # The absolute effect, as the source printed it, for each assumed risk.


class _Evidence(TypedDict):
    id: str  # The record ID. It is never reused and never renamed.
    kind: Literal["evidence"]  # The kind of the record.
    version: int  # The version of this record: 1 at first, and one more after each change of its content.
    title: str  # A title in plain text, at most 160 characters.
    summary: str  # What the record says, in a sentence or two of plain text.
    claim_boundary: ClaimBoundary  # The limits of the claim: what it does not cover.
    source_links: List[SourceLink]  # Links to the sources of the record, at least one.
    verification_date: str  # The day on which someone last checked the record against its sources.
    source_updates: List[SourceUpdate]  # Changes to the sources; empty if there were none.
    corrections: List[Correction]  # Errors in this record that were corrected; empty if there were none.
    published_date: str  # The day on which the record was first published.
    updated_date: str  # The day on which its content last changed.
    evidence_id: str  # The record ID, under the name used in paths.
    evidence_type: EvidenceType  # The type of the evidence.
    finding: str  # What was found, with figures, in a sentence or two.
    evidence_label: EvidenceLabel  # The certainty of the finding.


class Evidence(_Evidence, total=False):
    """A finding of a study, a statistic or a guideline, with its certainty."""

    verified_by: str  # Who checked it on that day, if the publisher names them.
    first_published_elsewhere: str  # Where the record was first published, if that was before this service published it.
    license: str  # The SPDX identifier of the record's licence, if it differs from the publisher's.
    aliases: List[str]  # Other names of the record elsewhere.
    replaced_by: str  # The ID of the record of the same kind that replaces it.
    see_also: List[str]  # The IDs of other records that may interest the reader.
    subjects: List[Subject]  # The subjects of the record, as codes of published schemes.
    illustrative: bool  # True if the record is an example, not a finding of the publisher.
    label_basis: LabelBasis  # Who rated the certainty, and by which scheme. Required unless the label is not_rated.
    comparison: Comparison  # The question that the finding answers: who, what, against what, and which outcome.
    effect: EffectSize  # The size of the effect that was found.
    statistic_ids: List[str]  # The IDs of the statistics that the finding consists of.
    entity_ids: List[str]  # The IDs of the entities that the finding is about.


EVIDENCE: Kind[Evidence] = Kind("evidence")


Stance = Literal[
    "supports",
    "disputes",
    "qualifies",
    "context",
]


class _ClaimEvidence(TypedDict):
    evidence_id: str  # The ID of the evidence.
    stance: Stance  # The stance of the evidence on the claim.


class ClaimEvidence(_ClaimEvidence, total=False):
    pass


class _ProofClaim(TypedDict):
    id: str  # The record ID. It is never reused and never renamed.
    kind: Literal["proof_claim"]  # The kind of the record.
    version: int  # The version of this record: 1 at first, and one more after each change of its content.
    title: str  # A title in plain text, at most 160 characters.
    summary: str  # What the record says, in a sentence or two of plain text.
    claim_boundary: ClaimBoundary  # The limits of the claim: what it does not cover.
    source_links: List[SourceLink]  # Links to the sources of the record, at least one.
    verification_date: str  # The day on which someone last checked the record against its sources.
    source_updates: List[SourceUpdate]  # Changes to the sources; empty if there were none.
    corrections: List[Correction]  # Errors in this record that were corrected; empty if there were none.
    published_date: str  # The day on which the record was first published.
    updated_date: str  # The day on which its content last changed.
    claim_id: str  # The record ID, under the name used in paths.
    claim: str  # The claim, in a sentence that can be true or false.
    evidence: List[ClaimEvidence]  # The evidence for and against the claim.


class ProofClaim(_ProofClaim, total=False):
    """A claim, the evidence for and against it, and the limits within which it holds."""

    verified_by: str  # Who checked it on that day, if the publisher names them.
    first_published_elsewhere: str  # Where the record was first published, if that was before this service published it.
    license: str  # The SPDX identifier of the record's licence, if it differs from the publisher's.
    aliases: List[str]  # Other names of the record elsewhere.
    replaced_by: str  # The ID of the record of the same kind that replaces it.
    see_also: List[str]  # The IDs of other records that may interest the reader.
    subjects: List[Subject]  # The subjects of the record, as codes of published schemes.
    illustrative: bool  # True if the record is an example, not a finding of the publisher.
    evidence_label: EvidenceLabel  # The certainty of the claim: no stronger than its best supporting evidence.
    what_would_change_it: str  # Which new findings would change the claim or its certainty, in a sentence or two.
    claimant_id: str  # The ID of the organization that makes the claim.


PROOF_CLAIM: Kind[ProofClaim] = Kind("proof_claim")


AreaScheme = str  # iso3166, un_m49, entity, or a word of the publisher's own


ObsStatus = Literal[
    "A",
    "B",
    "D",
    "E",
    "F",
    "G",
    "H",
    "I",
    "J",
    "K",
    "L",
    "M",
    "N",
    "O",
    "P",
    "Q",
    "S",
    "U",
    "V",
    "W",
]


class _HealthcareStatistic(TypedDict):
    id: str  # The record ID. It is never reused and never renamed.
    kind: Literal["healthcare_statistic"]  # The kind of the record.
    version: int  # The version of this record: 1 at first, and one more after each change of its content.
    title: str  # A title in plain text, at most 160 characters.
    summary: str  # What the record says, in a sentence or two of plain text.
    claim_boundary: ClaimBoundary  # The limits of the claim: what it does not cover.
    source_links: List[SourceLink]  # Links to the sources of the record, at least one.
    verification_date: str  # The day on which someone last checked the record against its sources.
    source_updates: List[SourceUpdate]  # Changes to the sources; empty if there were none.
    corrections: List[Correction]  # Errors in this record that were corrected; empty if there were none.
    published_date: str  # The day on which the record was first published.
    updated_date: str  # The day on which its content last changed.
    indicator: str  # The short code of the indicator, the same for all its values, such as mcv1.
    ref_area_scheme: AreaScheme  # The scheme of the code in ref_area: one of these, or a scheme that stele.yaml names under areas.
    ref_area: str  # The area of the value, as a code of that scheme.
    time_period: str  # The period of the value.
    unit: str  # The short code of the unit, such as percent or deaths.
    unit_label: str  # The unit in words, such as per cent of one-year-olds.
    obs_status: ObsStatus  # The status of the value, as in SDMX.


class HealthcareStatistic(_HealthcareStatistic, total=False):
    """One value of one indicator, for one area and one period."""

    verified_by: str  # Who checked it on that day, if the publisher names them.
    first_published_elsewhere: str  # Where the record was first published, if that was before this service published it.
    license: str  # The SPDX identifier of the record's licence, if it differs from the publisher's.
    aliases: List[str]  # Other names of the record elsewhere.
    replaced_by: str  # The ID of the record of the same kind that replaces it.
    see_also: List[str]  # The IDs of other records that may interest the reader.
    subjects: List[Subject]  # The subjects of the record, as codes of published schemes.
    illustrative: bool  # True if the record is an example, not a finding of the publisher.
    vintage: str  # The edition of the source that gives the value, by its year, month or day, if values of several editions are published together.
    value: Number  # The value. A statistic has this or one of less_than, greater_than and code, unless its obs_status says why there is no value.
    less_than: Number  # An upper bound, if the source gives only that, such as <5.
    greater_than: Number  # A lower bound, if the source gives only that, such as >95.
    code: str  # The answer if it is not a quantity, as one of the codes of the indicator's entity.
    decimals: int  # The number of decimals to show.
    lower: Number  # The lower end of the interval that contains the value.
    upper: Number  # The upper end of the interval.
    interval: Interval  # The type of the interval.
    level: Number  # The interval's level in per cent, such as 95.
    numerator: Number  # The count, if the value is a proportion or a rate.
    denominator: Number  # The total that the count is divided by.
    dimensions: Dict[str, str]  # Other dimensions by which the value is broken down, such as sex and age.
    note: str  # What a reader of this one value needs to know, such as a footnote of the source.
    method: str  # How the value was obtained.
    indicator_id: str  # The ID of the entity that describes the indicator.


HEALTHCARE_STATISTIC: Kind[HealthcareStatistic] = Kind("healthcare_statistic")


SourceType = Literal[
    "dataset",
    "article",
    "review",
    "guideline",
    "report",
    "web_page",
    "legislation",
]


class _SourceLicense(TypedDict):
    name: str  # The name of the licence.


class SourceLicense(_SourceLicense, total=False):
    url: str  # The URL of the licence's text.


class _SourceObject(TypedDict):
    id: str  # The record ID. It is never reused and never renamed.
    kind: Literal["source_object"]  # The kind of the record.
    version: int  # The version of this record: 1 at first, and one more after each change of its content.
    title: str  # A title in plain text, at most 160 characters.
    summary: str  # What the record says, in a sentence or two of plain text.
    source_links: List[SourceLink]  # Links to the sources of the record, at least one.
    verification_date: str  # The day on which someone last checked the record against its sources.
    source_updates: List[SourceUpdate]  # Changes to the sources; empty if there were none.
    corrections: List[Correction]  # Errors in this record that were corrected; empty if there were none.
    published_date: str  # The day on which the record was first published.
    updated_date: str  # The day on which its content last changed.
    source_type: SourceType  # The type of the source.
    producer: str  # The producer of the source.
    citation_full: str  # The full citation, as in a bibliography.
    url_main: str  # The URL of the source.


class SourceObject(_SourceObject, total=False):
    """A publication or data set that other records rest on."""

    claim_boundary: ClaimBoundary  # The limits of the claim: what it does not cover.
    verified_by: str  # Who checked it on that day, if the publisher names them.
    first_published_elsewhere: str  # Where the record was first published, if that was before this service published it.
    license: str  # The SPDX identifier of the record's licence, if it differs from the publisher's.
    aliases: List[str]  # Other names of the record elsewhere.
    replaced_by: str  # The ID of the record of the same kind that replaces it.
    see_also: List[str]  # The IDs of other records that may interest the reader.
    subjects: List[Subject]  # The subjects of the record, as codes of published schemes.
    illustrative: bool  # True if the record is an example, not a finding of the publisher.
    date_published: str  # The day on which the source was published.
    date_accessed: str  # The day on which the source was read or retrieved.
    url_download: str  # The URL for downloading the data of the source.
    version_producer: str  # The producer's name for this version.
    source_license: SourceLicense  # The licence of the source.
    identifiers: Dict[str, str]  # The identifiers by scheme, such as doi and pmid.
    sha256: str  # The SHA-256 of the file that was read, as 64 lower-case hexadecimal digits.
    text_sha256: str  # The SHA-256 of the source's plain text in the publisher's folder, with which quotes are compared. The text itself is not published.


SOURCE_OBJECT: Kind[SourceObject] = Kind("source_object")


class _PublicReference(TypedDict):
    id: str  # The record ID. It is never reused and never renamed.
    kind: Literal["public_reference"]  # The kind of the record.
    version: int  # The version of this record: 1 at first, and one more after each change of its content.
    title: str  # A title in plain text, at most 160 characters.
    summary: str  # What the record says, in a sentence or two of plain text.
    source_links: List[SourceLink]  # Links to the sources of the record, at least one.
    verification_date: str  # The day on which someone last checked the record against its sources.
    source_updates: List[SourceUpdate]  # Changes to the sources; empty if there were none.
    corrections: List[Correction]  # Errors in this record that were corrected; empty if there were none.
    published_date: str  # The day on which the record was first published.
    updated_date: str  # The day on which its content last changed.
    reference_note: str  # What the reference shows, and why it is only an illustration.


class PublicReference(_PublicReference, total=False):
    """A public document that illustrates a subject. It is never evidence."""

    claim_boundary: ClaimBoundary  # The limits of the claim: what it does not cover.
    verified_by: str  # Who checked it on that day, if the publisher names them.
    first_published_elsewhere: str  # Where the record was first published, if that was before this service published it.
    license: str  # The SPDX identifier of the record's licence, if it differs from the publisher's.
    aliases: List[str]  # Other names of the record elsewhere.
    replaced_by: str  # The ID of the record of the same kind that replaces it.
    see_also: List[str]  # The IDs of other records that may interest the reader.
    subjects: List[Subject]  # The subjects of the record, as codes of published schemes.
    illustrative: bool  # True if the record is an example, not a finding of the publisher.
    illustrates: List[str]  # The IDs of the records that it illustrates.


PUBLIC_REFERENCE: Kind[PublicReference] = Kind("public_reference")


class _GraphNode(TypedDict):
    id: str  # The record ID. It is never reused and never renamed.
    kind: Literal["graph_node"]  # The kind of the record.
    version: int  # The version of this record: 1 at first, and one more after each change of its content.
    record_id: str  # The ID of the record that the node represents.
    record_kind: KindName  # The kind of that record.
    label: str  # The label of the node.


class GraphNode(_GraphNode, total=False):
    """A record as a node of the graph."""

    title: str  # A title in plain text, at most 160 characters.
    summary: str  # What the record says, in a sentence or two of plain text.
    claim_boundary: ClaimBoundary  # The limits of the claim: what it does not cover.
    source_links: List[SourceLink]  # Links to the sources of the record, at least one.
    verification_date: str  # The day on which someone last checked the record against its sources.
    verified_by: str  # Who checked it on that day, if the publisher names them.
    source_updates: List[SourceUpdate]  # Changes to the sources; empty if there were none.
    corrections: List[Correction]  # Errors in this record that were corrected; empty if there were none.
    published_date: str  # The day on which the record was first published.
    updated_date: str  # The day on which its content last changed.
    first_published_elsewhere: str  # Where the record was first published, if that was before this service published it.
    license: str  # The SPDX identifier of the record's licence, if it differs from the publisher's.
    aliases: List[str]  # Other names of the record elsewhere.
    replaced_by: str  # The ID of the record of the same kind that replaces it.
    see_also: List[str]  # The IDs of other records that may interest the reader.
    subjects: List[Subject]  # The subjects of the record, as codes of published schemes.
    illustrative: bool  # True if the record is an example, not a finding of the publisher.


GRAPH_NODE: Kind[GraphNode] = Kind("graph_node")


Relation = Literal[
    "supports",
    "disputes",
    "qualifies",
    "cites",
    "derived_from",
    "about",
    "claimed_by",
    "part_of",
    "replaces",
    "responds_to",
    "recommends",
]


class _GraphEdge(TypedDict):
    id: str  # The record ID. It is never reused and never renamed.
    kind: Literal["graph_edge"]  # The kind of the record.
    version: int  # The version of this record: 1 at first, and one more after each change of its content.
    source: str  # The start of the edge: the ID of a record, or of a node that the publisher wrote.
    target: str  # The end of the edge, as for source.
    relation: Relation  # The relation of the source to the target.
    directed: bool  # Whether the direction of the edge matters.
    asserted_by: str  # The ID of the record that asserts the edge: a source, an organization, or the record with the reference.


class GraphEdge(_GraphEdge, total=False):
    """A relation between two records."""

    title: str  # A title in plain text, at most 160 characters.
    summary: str  # What the record says, in a sentence or two of plain text.
    claim_boundary: ClaimBoundary  # The limits of the claim: what it does not cover.
    source_links: List[SourceLink]  # Links to the sources of the record, at least one.
    verification_date: str  # The day on which someone last checked the record against its sources.
    verified_by: str  # Who checked it on that day, if the publisher names them.
    source_updates: List[SourceUpdate]  # Changes to the sources; empty if there were none.
    corrections: List[Correction]  # Errors in this record that were corrected; empty if there were none.
    published_date: str  # The day on which the record was first published.
    updated_date: str  # The day on which its content last changed.
    first_published_elsewhere: str  # Where the record was first published, if that was before this service published it.
    license: str  # The SPDX identifier of the record's licence, if it differs from the publisher's.
    aliases: List[str]  # Other names of the record elsewhere.
    replaced_by: str  # The ID of the record of the same kind that replaces it.
    see_also: List[str]  # The IDs of other records that may interest the reader.
    subjects: List[Subject]  # The subjects of the record, as codes of published schemes.
    illustrative: bool  # True if the record is an example, not a finding of the publisher.


GRAPH_EDGE: Kind[GraphEdge] = Kind("graph_edge")


ChangeType = Literal[
    "created",
    "updated",
    "reverified",
    "source_updated",
    "corrected",
    "retracted",
    "removed",
    "redacted",
    "restored",
    "relicensed",
    "areas_changed",
]


class _RecordDigest(TypedDict):
    version: int  # The record's version.
    sha256: Optional[str]  # The SHA-256 of the record's canonical bytes; null if that version was redacted.


class RecordDigest(_RecordDigest, total=False):
    pass


class _ChangeEvent(TypedDict):
    id: str  # The record ID. It is never reused and never renamed.
    kind: Literal["change_event"]  # The kind of the record.
    version: int  # The version of this record: 1 at first, and one more after each change of its content.
    published_date: str  # The day on which the record was first published.
    record_id: str  # The ID of the record that changed; for a change of licence or notice, the folder of the kind; for areas_changed, areas. and the name of the scheme.
    record_kind: KindName  # The kind of that record.
    change_type: ChangeType  # What happened to the record.
    before: Optional[RecordDigest]  # The record before the change; null if it did not exist.
    after: Optional[RecordDigest]  # The record after the change; null if it was removed.
    changed_fields: List[str]  # JSON Pointers to the changed members, sorted.
    release: str  # The ID of the release with the change.


class ChangeEvent(_ChangeEvent, total=False):
    """A change to a record between one release and the next."""

    title: str  # A title in plain text, at most 160 characters.
    summary: str  # What the record says, in a sentence or two of plain text.
    claim_boundary: ClaimBoundary  # The limits of the claim: what it does not cover.
    source_links: List[SourceLink]  # Links to the sources of the record, at least one.
    verification_date: str  # The day on which someone last checked the record against its sources.
    verified_by: str  # Who checked it on that day, if the publisher names them.
    source_updates: List[SourceUpdate]  # Changes to the sources; empty if there were none.
    corrections: List[Correction]  # Errors in this record that were corrected; empty if there were none.
    updated_date: str  # The day on which its content last changed.
    first_published_elsewhere: str  # Where the record was first published, if that was before this service published it.
    license: str  # The SPDX identifier of the record's licence, if it differs from the publisher's.
    aliases: List[str]  # Other names of the record elsewhere.
    replaced_by: str  # The ID of the record of the same kind that replaces it.
    see_also: List[str]  # The IDs of other records that may interest the reader.
    subjects: List[Subject]  # The subjects of the record, as codes of published schemes.
    illustrative: bool  # True if the record is an example, not a finding of the publisher.
    redacted_versions: List[int]  # The versions of the record that this release redacted; the summary gives the reason.


CHANGE_EVENT: Kind[ChangeEvent] = Kind("change_event")


EntityType = Literal[
    "organization",
    "place",
    "population",
    "condition",
    "intervention",
    "outcome",
    "indicator",
]


class _MeasureDimension(TypedDict):
    name: str  # The name of the dimension in statistics, such as sex.


class MeasureDimension(_MeasureDimension, total=False):
    label: str  # The name on pages.
    codes: Dict[str, str]  # The codes of the dimension, with their meanings; any text if omitted.


class _MeasureBreak(TypedDict):
    time_period: str  # The first period with the new method.
    summary: str  # What changed, in a sentence.


class MeasureBreak(_MeasureBreak, total=False):
    pass


Aggregation = Literal[
    "sum",
    "mean",
    "weighted_mean",
    "none",
]


class _Measure(TypedDict):
    code: str  # The short code of the indicator, which its statistics have in the member indicator.


class Measure(_Measure, total=False):
    definition: str  # The exact definition of what is measured: who or what is counted, and who is not.
    unit: str  # The short code of the unit of its values.
    unit_label: str  # The unit in words.
    min: Number  # The smallest possible value.
    max: Number  # The largest possible value.
    codes: Dict[str, str]  # The codes that replace values, with their meanings, if the answers are not quantities.
    dimensions: List[MeasureDimension]  # The dimensions by which the indicator's values may be broken down.
    method: str  # How the values are produced.
    breaks: List[MeasureBreak]  # When its method changed, so that earlier and later values are not comparable.
    aggregation: Aggregation  # How the values of parts are combined into that of the whole.
    look_back: int  # The number of periods that pages look back if a period has no value (default 5).


class _Entity(TypedDict):
    id: str  # The record ID. It is never reused and never renamed.
    kind: Literal["entity"]  # The kind of the record.
    version: int  # The version of this record: 1 at first, and one more after each change of its content.
    title: str  # A title in plain text, at most 160 characters.
    summary: str  # What the record says, in a sentence or two of plain text.
    source_links: List[SourceLink]  # Links to the sources of the record, at least one.
    verification_date: str  # The day on which someone last checked the record against its sources.
    source_updates: List[SourceUpdate]  # Changes to the sources; empty if there were none.
    corrections: List[Correction]  # Errors in this record that were corrected; empty if there were none.
    published_date: str  # The day on which the record was first published.
    updated_date: str  # The day on which its content last changed.
    entity_type: EntityType  # The type of the entity.
    name: str  # The name of the entity.


class Entity(_Entity, total=False):
    """An organization, place, population, condition, intervention, outcome or indicator that records are about. Not used for people."""

    claim_boundary: ClaimBoundary  # The limits of the claim: what it does not cover.
    verified_by: str  # Who checked it on that day, if the publisher names them.
    first_published_elsewhere: str  # Where the record was first published, if that was before this service published it.
    license: str  # The SPDX identifier of the record's licence, if it differs from the publisher's.
    aliases: List[str]  # Other names of the record elsewhere.
    replaced_by: str  # The ID of the record of the same kind that replaces it.
    see_also: List[str]  # The IDs of other records that may interest the reader.
    subjects: List[Subject]  # The subjects of the record, as codes of published schemes.
    illustrative: bool  # True if the record is an example, not a finding of the publisher.
    same_as: List[str]  # URLs that identify the same thing elsewhere.
    measure: Measure  # What an indicator measures and its possible values. Statistics with its ID as indicator_id are checked against it.


ENTITY: Kind[Entity] = Kind("entity")


class _Opportunity(TypedDict):
    id: str  # The record ID. It is never reused and never renamed.
    kind: Literal["opportunity"]  # The kind of the record.
    version: int  # The version of this record: 1 at first, and one more after each change of its content.
    title: str  # A title in plain text, at most 160 characters.
    summary: str  # What the record says, in a sentence or two of plain text.
    claim_boundary: ClaimBoundary  # The limits of the claim: what it does not cover.
    source_links: List[SourceLink]  # Links to the sources of the record, at least one.
    verification_date: str  # The day on which someone last checked the record against its sources.
    source_updates: List[SourceUpdate]  # Changes to the sources; empty if there were none.
    corrections: List[Correction]  # Errors in this record that were corrected; empty if there were none.
    published_date: str  # The day on which the record was first published.
    updated_date: str  # The day on which its content last changed.
    need: str  # What is needed, and by whom.
    evidence_ids: List[str]  # The IDs of the evidence that shows the need.


class Opportunity(_Opportunity, total=False):
    """An unmet need that evidence shows, and that could be acted on."""

    verified_by: str  # Who checked it on that day, if the publisher names them.
    first_published_elsewhere: str  # Where the record was first published, if that was before this service published it.
    license: str  # The SPDX identifier of the record's licence, if it differs from the publisher's.
    aliases: List[str]  # Other names of the record elsewhere.
    replaced_by: str  # The ID of the record of the same kind that replaces it.
    see_also: List[str]  # The IDs of other records that may interest the reader.
    subjects: List[Subject]  # The subjects of the record, as codes of published schemes.
    illustrative: bool  # True if the record is an example, not a finding of the publisher.
    signal_ids: List[str]  # The IDs of the signals that indicated the need.
    entity_ids: List[str]  # The IDs of the entities that the need is about.


OPPORTUNITY: Kind[Opportunity] = Kind("opportunity")


Direction = Literal[
    "for",
    "against",
    "either",
]


Strength = Literal[
    "strong",
    "conditional",
]


class _Recommendation(TypedDict):
    id: str  # The record ID. It is never reused and never renamed.
    kind: Literal["recommendation"]  # The kind of the record.
    version: int  # The version of this record: 1 at first, and one more after each change of its content.
    title: str  # A title in plain text, at most 160 characters.
    summary: str  # What the record says, in a sentence or two of plain text.
    claim_boundary: ClaimBoundary  # The limits of the claim: what it does not cover.
    source_links: List[SourceLink]  # Links to the sources of the record, at least one.
    verification_date: str  # The day on which someone last checked the record against its sources.
    source_updates: List[SourceUpdate]  # Changes to the sources; empty if there were none.
    corrections: List[Correction]  # Errors in this record that were corrected; empty if there were none.
    published_date: str  # The day on which the record was first published.
    updated_date: str  # The day on which its content last changed.
    action: str  # What to do, as an instruction.
    direction: Direction  # Whether to take the action.
    strength: Strength  # The strength of the recommendation.
    opportunity_ids: List[str]  # The IDs of the opportunities that it responds to.
    evidence_ids: List[str]  # The IDs of the evidence that it rests on.


class Recommendation(_Recommendation, total=False):
    """Advice on what to do about an opportunity, with the strength of the advice."""

    verified_by: str  # Who checked it on that day, if the publisher names them.
    first_published_elsewhere: str  # Where the record was first published, if that was before this service published it.
    license: str  # The SPDX identifier of the record's licence, if it differs from the publisher's.
    aliases: List[str]  # Other names of the record elsewhere.
    replaced_by: str  # The ID of the record of the same kind that replaces it.
    see_also: List[str]  # The IDs of other records that may interest the reader.
    subjects: List[Subject]  # The subjects of the record, as codes of published schemes.
    illustrative: bool  # True if the record is an example, not a finding of the publisher.
    audience: str  # The people that the recommendation addresses.


RECOMMENDATION: Kind[Recommendation] = Kind("recommendation")


class _Option(TypedDict):
    option_id: str  # The identifier of the option within this record.
    label: str  # The option in a few words.
    recommendation_ids: List[str]  # The IDs of the recommendations about the option; may be empty.


class Option(_Option, total=False):
    pass


DecisionLabel = Literal[
    "adopt",
    "adopt_with_conditions",
    "more_research",
    "do_not_adopt",
    "undecided",
]


class _Considerations(TypedDict):
    pass


class Considerations(_Considerations, total=False):
    priority: str  # Is the problem a priority?
    effects: str  # What are the benefits and harms?
    resources: str  # What does it cost?
    equity: str  # What does it do for equity?
    acceptability: str  # Is it acceptable to those concerned?
    feasibility: str  # Can it be done?


class _DecisionView(TypedDict):
    id: str  # The record ID. It is never reused and never renamed.
    kind: Literal["decision_view"]  # The kind of the record.
    version: int  # The version of this record: 1 at first, and one more after each change of its content.
    title: str  # A title in plain text, at most 160 characters.
    summary: str  # What the record says, in a sentence or two of plain text.
    claim_boundary: ClaimBoundary  # The limits of the claim: what it does not cover.
    source_links: List[SourceLink]  # Links to the sources of the record, at least one.
    verification_date: str  # The day on which someone last checked the record against its sources.
    source_updates: List[SourceUpdate]  # Changes to the sources; empty if there were none.
    corrections: List[Correction]  # Errors in this record that were corrected; empty if there were none.
    published_date: str  # The day on which the record was first published.
    updated_date: str  # The day on which its content last changed.
    question: str  # The question to decide.
    options: List[Option]  # The options.
    decision_label: DecisionLabel  # The decision.


class DecisionView(_DecisionView, total=False):
    """A question to decide: the options, what is recommended for each, and what was decided."""

    verified_by: str  # Who checked it on that day, if the publisher names them.
    first_published_elsewhere: str  # Where the record was first published, if that was before this service published it.
    license: str  # The SPDX identifier of the record's licence, if it differs from the publisher's.
    aliases: List[str]  # Other names of the record elsewhere.
    replaced_by: str  # The ID of the record of the same kind that replaces it.
    see_also: List[str]  # The IDs of other records that may interest the reader.
    subjects: List[Subject]  # The subjects of the record, as codes of published schemes.
    illustrative: bool  # True if the record is an example, not a finding of the publisher.
    chosen_option_id: str  # The ID of the chosen option; omitted while undecided.
    considerations: Considerations  # The considerations, as answers to the questions of GRADE.


DECISION_VIEW: Kind[DecisionView] = Kind("decision_view")

__all__ = [
    "CHANGE_EVENT",
    "ChangeEvent",
    "DECISION_VIEW",
    "DecisionView",
    "ENTITY",
    "EVIDENCE",
    "Entity",
    "Evidence",
    "GRAPH_EDGE",
    "GRAPH_NODE",
    "GraphEdge",
    "GraphNode",
    "HEALTHCARE_STATISTIC",
    "HealthcareStatistic",
    "Kind",
    "Number",
    "OPPORTUNITY",
    "Opportunity",
    "PROOF_CLAIM",
    "PUBLIC_REFERENCE",
    "ProofClaim",
    "PublicReference",
    "RECOMMENDATION",
    "Recommendation",
    "SIGNAL",
    "SOURCE_OBJECT",
    "Signal",
    "SourceObject",
]
