package search

import (
	_ "embed" // lists of words
	"strings"
)

// Vocabulary contains lists of words that direct a search, in the form that the script reads.
type Vocabulary struct {
	Joining  string      `json:"joining"`  // connecting words, which are not searched
	Asking   string      `json:"asking"`   // words of questions, searched only if there are no others
	Synonyms [][2]string `json:"synonyms"` // words that are replaced by another, in records and in queries
	Related  [][2]string `json:"related"`  // related words, which count less
	Phrases  [][2]string `json:"phrases"`  // several words that are searched as one
	Meant    []Meant     `json:"meant"`
	Known    string      `json:"known"` // correctly spelled words, whether or not a record contains them
	Small    string      `json:"small"` // words without a subject: ignored if no record contains them
}

// Meant contains factors for record kinds, by kind. They apply to questions that match Words, a
// regexp.
type Meant struct {
	Words string             `json:"words"`
	Kinds map[string]float64 `json:"kinds"`
}

// English is the vocabulary of English pages. Its words are folded and stemmed.
var English = Vocabulary{
	Joining: "a an and are as at be by for from has have in is it its not of on or than that the their there this to was were what which with",
	Asking: "about after all any because been before between can could did do does during explain find get gets getting give gives given go goes going got had " +
		"happen happened he her him his how i if into just know let like made make makes many may me might more most much must my " +
		"need no now our out over people please really say says said shall she should show so some still such tell them then these they those too true up " +
		"average averages best fewest highest least lowest rank ranked ranking worst ادني اقل اعلي اكثر الادني الاقل الاعلي الاكثر " +
		"very want we well when where whether whom whose why will worth would you your " +
		"de del la las le les el los des du et und der das im von y en na по в и на هل ما ماذا لماذا متى اين كم اي في من على عن",
	Synonyms: synonymsIn(`
death: mortality dead deadly die died dying kill killed fatality
vaccine: vaccination vaccinated vaccinate vaccinating unvaccinated immunization immunized immunised immunize jab vax vaxx shot inoculation
child: kid children childhood infant baby toddler
tuberculosis: tb
influenza: flu
pertussis: whooping
tetanus: lockjaw
varicella: chickenpox
polio: poliomyelitis
text: sms texting
outbreak: epidemic
study: trial
autism: autistic asd
africa: african
america: american
asia: asian
europe: european
`),
	Related: [][2]string{
		{"cause caused causing lead trigger associated association connection", "linked link"},
		{"safe safety unsafe dangerous danger harm harmful adverse", "safety harm adverse linked risk autism"},
		{"work working effective effectiveness efficacy enough sufficient protect protection protected prevent prevention", "protect protection effect effective prevent help risk"},
		{"fall fell falling drop dropped decline declined decrease decreased down lower reduced", "fall fell falling lowered dip"},
		{"rise rose rising increase increased grow grew", "rise rose rising"},
		{"rate percentage percent share proportion uptake", "coverage share rate per"},
		{"hesitancy hesitant antivax antivaxxer sceptic skeptic refusal fear doubt", "doubt worry parent"},
		{"mother father mum mom dad parent caregiver", "parent caregiver"},
		{"phone mobile cellphone", "text message"},
		{"cash money pay paying paid incentive reward", "payment"},
		{"expenditure cost", "spending"},
		{"lifespan longevity", "life expectancy"},
		{"global globally worldwide international", "world"},
		{"mmr mcv", "mcv mcv1 measle vaccine"},
		{"dose", "vaccine"},
		{"dtp dpt dtap tdap triple pentavalent", "dtp3 diphtheria"},
		{"hep hbv", "hepatitis hepb3"},
		{"opv ipv", "polio vaccine"},
		{"consumption", "tuberculosis"},
		{"fraud fraudulent fake withdrawn retraction", "retracted"},
		{"alert alarm warning", "alarm warning"},
		{"delay postpone defer skip", "put putting off"},
		{"single", "one"},
		{"twice double", "two"},
		{"advice guideline guidance recommended recommend", "recommendation advice"},
	},
	Phrases: [][2]string{
		{"whooping cough", "pertussis"},
		{"german measles", "rubella"},
		{"infantile paralysis", "polio"},
		{"side effects", "harm"},
		{"side effect", "harm"},
		{"south korea", "southkorea"},
		{"north korea", "northkorea"},
		{"east timor", "easttimor"},
		{"hep b", "hepatitis"},
		{"come from", "source"},
		{"what is new", "latest"},
		{"what's new", "latest"},
		{"which country", "which"},
		{"which countries", "which"},
		{"what country", "what"},
		{"what countries", "what"},
	},
	Meant: []Meant{
		{`how (many|much)|number|rate|percent|statistic|figures|data\b|trend`, map[string]float64{"healthcare_statistic": 1.4}},
		{`\b(fewest|highest|least|lowest|most|worst|rank\w*)\b|ادني|اقل|اعلي|اكثر`, map[string]float64{"healthcare_statistic": 2}},
		{`^(is|are|do|does|did|can|was|were|has|will)\b|caus|safe|link|true|effective|danger`, map[string]float64{"proof_claim": 1.5}},
		{`(^|\D)(19|20)\d\d(\D|$)`, map[string]float64{"healthcare_statistic": 1.8}},
		{`should|recommend|advice|guid`, map[string]float64{"recommendation": 1.4, "decision_view": 1.4}},
	},
	Known: "abortion accident addiction alcohol allergy anaemia anthrax anxiety arthritis asthma asylum bird bite blood body bone brain bread breast " +
		"burn cancer cancers cat chest cholera cigarette climate clinic cocaine coffee covid crime dementia dengue dentist depression diabetes diet doctor dog drug drugs " +
		"ebola economy epilepsy eye fever fire fish flood food fracture heart heat hepatitis herd horse hospital hospitals hunger immune immunity influenza injury insulin kidney lead leg leprosy liver lung " +
		"lungs malaria malnutrition marriage meat medicine meningitis midwife migraine milk mosquito murder mumps nose nurse nurses nutrition obesity opioid pain pandemic pension plague " +
		"pneumonia poison polio pollution poverty pregnancy pregnant prison psychosis rabies refugee rice rotavirus rubella salt school schools scurvy sepsis skin smoking snake " +
		"stroke suicide sugar surgery syphilis tax taxes teeth tetanus tobacco tooth traffic typhoid unemployment varicella violence virus vitamin vitamins wage wages war water zika",
	Small: strings.Join(strings.Fields(small), " "),
}

// small contains the words without a subject.
//
//go:embed small.txt
var small string

// diseases lists names of diseases and other health words in French, Spanish, Portuguese, German,
// Russian, Arabic, Hindi, Chinese and others, some in several forms. They are other names of the
// word at the beginning of their line.
//
//go:embed diseases.txt
var diseases string

// synonymsIn returns pairs of a word and its replacement, the word at the beginning of its line.
func synonymsIn(lines string) (pairs [][2]string) {
	eachLine(lines, func(target, names string) {
		for word := range strings.FieldsSeq(names) {
			pairs = append(pairs, [2]string{word, target})
		}
	})
	return pairs
}
