package search

import "strings"

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
		"best fewest highest least lowest rank ranked ranking worst ادني اقل اعلي اكثر الادني الاقل الاعلي الاكثر " +
		"very want we well when where whether whom whose why will worth would you your " +
		"de del la las le les el los des du et und der das im von y en na по в и на",
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
		{"which country", "which"},
		{"which countries", "which"},
		{"what country", "what"},
		{"what countries", "what"},
	},
	Meant: []Meant{
		{`how (many|much)|number|rate|percent|statistic|figures|data\b|trend`, map[string]float64{"healthcare_statistic": 1.4}},
		{`\b(fewest|highest|least|lowest|most|worst|rank\w*)\b|ادني|اقل|اعلي|اكثر`, map[string]float64{"healthcare_statistic": 2}},
		{`^(is|are|do|does|did|can|was|were|has|will)\b|caus|safe|link|true|effective|danger`, map[string]float64{"proof_claim": 1.5}},
		{`should|recommend|advice|guid`, map[string]float64{"recommendation": 1.4, "decision_view": 1.4}},
	},
	Known: "abortion accident addiction alcohol allergy anaemia anthrax anxiety arthritis asthma asylum bird bite blood body bone brain bread breast " +
		"burn cancer cancers cat chest cholera cigarette climate clinic cocaine coffee covid crime dementia dengue dentist depression diabetes diet doctor dog drug drugs " +
		"ebola economy epilepsy eye fever fire fish flood food fracture heart heat hepatitis herd horse hospital hospitals hunger immune immunity influenza injury insulin kidney lead leg leprosy liver lung " +
		"lungs malaria malnutrition marriage meat medicine meningitis midwife migraine milk mosquito murder mumps nose nurse nurses nutrition obesity opioid pain pandemic pension plague " +
		"pneumonia poison polio pollution poverty pregnancy pregnant prison psychosis rabies refugee rice rotavirus rubella salt school schools scurvy sepsis skin smoking snake " +
		"stroke suicide sugar surgery syphilis tax taxes teeth tetanus tobacco tooth traffic typhoid unemployment varicella violence virus vitamin vitamins wage wages war water zika",
	Small: "able above accept across act action actually add afraid again against age ago agree air alive allow almost alone along already also always amount " +
		"another answer anyone anything apart appear area argue around arrive ask asked asking asks available average awake away awful back bad based basic " +
		"beat became become becomes began begin behind being believe below best better beyond big bill bit black blue book born both bottom bought box break " +
		"bring broke broken brought build built business busy buy call called calls came cannot card care careful carry catch caught cause caused causes " +
		"causing certain chair chance change changed charge cheap check choice choose class clean clear clearly close cold come comes coming common compare " +
		"complete consider contain continue control cool cost costs countries country course cover covered create current cut daily dark date day days deal " +
		"dear decide deep depend describe detail details different difficult dinner dirty done door doubt down draw dream dress drink drive drop dry due each " +
		"early earn easy eat effect either else empty end enough entire equal especially even ever every everyone everything evil exact exactly example except " +
		"exist expect experience extra face fact facts fail fair fall false famous far fast fat fear feel feet felt few field fight figure fill final finally " +
		"fine finish fire first fit five fix floor foot force forget form forward four free fresh friend friends front full fun further future game gave " +
		"general girl glad gone good great green grew ground group grow guess guy half hand hands hang happens happy hard hardly hate having head hear heard " +
		"heat heavy held hello help helped helps here herself hide high higher highest himself history hit hold hole home honest hope hot hour hours house " +
		"however huge human hundred hurt hurts idea ill imagine important improve include increase indeed inside instead interest itself job join keep kept key " +
		"kind king knew known lack land language large last late later latest laugh law lead learn least leave left less letter level lie life light likely " +
		"limit line list listen little live lived lives local long longer look looking looks lord lose loss lost lot lots loud love low lower lowest luck lunch " +
		"main major man market mass matter maybe mean means meant measure meet member men mention mere method middle mile mind mine minor minute miss missed " +
		"mistake moment month months moon morning mouth move moved name names near nearly needed needs neither never new news next nice night nobody none nor " +
		"normal north note nothing notice number object obvious odd off offer office often okay old older once only onto open opinion order original other " +
		"others ought outside own owner page paid pain pair paper part party pass past pay peace perfect perhaps period person photo pick picture piece place " +
		"plan play point poor popular possible power present press pretty prevent price private problem problems process product proof proper protect prove " +
		"proven provide public pull purpose push put puts question questions quick quickly quiet quite race rain raise ran range rare rarely rather reach read " +
		"reading reads ready real reality reason reasons recent recently red regular remain remember remove reply report rest result results return rich ride " +
		"right ring rise road rock role room round rule rules run runs rush sad safe safely same sat save saw scared score sea search seat second see seem " +
		"seems seen self sell send sense sent serious serve set seven several shape share sharp shock shoes shop short shown side sign similar simple simply " +
		"since sing single sit site six size sky sleep slow slowly small smart smell smile soft sold someone something sometimes son song soon sorry sort sound " +
		"source space speak special speed spend spent spot spread spring stand standing star start started starts state stay step stick stone stop stopped story " +
		"straight strange street strong student stuff subject success sudden suffer sum summer sun support suppose sure surely surprise sweet swim table take " +
		"taken takes taking talk tall taste teach team tells ten term test text thank thanks themselves thin thing things think third though thought thousand " +
		"three threw through throw thus tie tight till time times tiny tired today together told tomorrow ton tone tonight took top total touch toward town " +
		"trade train travel tree trend tried trip trouble truck truly trust truth try trying turn twelve twenty twice two type under understand unit unless " +
		"until upon upset use used useful user uses using usual usually value view visit voice wait walk wall wants warm wash waste watch way ways weak wear " +
		"week weeks weight went wet whatever wheel while white whoever whole wide wife wild win wind window winter wish within without woman women wonder wood " +
		"word words work worked working works world worried worry worse worst write written wrong wrote yeah year years yellow yes yesterday yet young yourself " +
		"zero ادني اقل اعلي اكثر الادني الاقل الاعلي الاكثر",
}

// synonymsIn returns pairs of a word and its replacement, the word at the beginning of its line.
func synonymsIn(lines string) (pairs [][2]string) {
	eachLine(lines, func(target, names string) {
		for word := range strings.FieldsSeq(names) {
			pairs = append(pairs, [2]string{word, target})
		}
	})
	return pairs
}

// diseases lists names of diseases and other health words in French, Spanish, Portuguese, German,
// Russian, Arabic and Chinese, some in several forms. They are other names of the word at the
// beginning of their line.
const diseases = `
africa: afrika afrique afryka африка африки افريقيا 非洲
asia: asie asien азия азии اسيا 亚洲
europe: europa европа европы اوروبا 欧洲
measle: rougeole sarampion sarampo masern rubeola morbillo mazelen odra kizamik campak surua корь кори корью حصبة سرخك खसरा 麻疹 麻しん はしか 홍역
rubella: rubeole rubeola roteln краснуха краснухи 风疹
mump: oreillons paperas parotiditis caxumba mumps паротит نكاف 腮腺炎
polio: poliomyelite poliomielitis poliomielite kinderlahmung полиомиелит полиомиелита شلل 脊髓灰质炎 小儿麻痹症
tuberculosis: tuberculose tuberkulose туберкулез туберкулеза سل 结核病 肺结核
diphtheria: diphterie difteria diphtherie дифтерия дифтерии خناق دفتيريا 白喉
tetanus: tetanos tetano wundstarrkrampf столбняк столбняка كزاز 破伤风
pertussis: coqueluche tosferina ferina keuchhusten коклюш коклюша شاهوق 百日咳
hepatitis: hepatite гепатит гепатита التهاب 肝炎
influenza: grippe gripe grippaler грипп гриппа انفلونزا 流感
varicella: varicelle windpocken ветрянка ветряная جدري 水痘
malaria: paludisme paludismo малярия малярии ملاريا 疟疾
cholera: colera холера холеры كوليرا 霍乱
rotavirus: ротавирус 轮状病毒
pneumonia: pneumonie neumonia lungenentzundung пневмония 肺炎
meningitis: meningite hirnhautentzundung менингит 脑膜炎
hiv: vih вич 艾滋病
aids: sida спид ايدز
cancer: krebs cancro рак سرطان 癌症
diabetes: diabete диабет سكري 糖尿病
autism: autisme autismo autismus аутизм توحد 自闭症
vaccine: vaccin vaccins vaccination vacuna vacunacion vacina vacinacao impfung impfungen impfstoff impfquote вакцина вакцины вакцинация вакцинации прививка прививки لقاح لقاحات تطعيم واكسن टीका टीकाकरण vaccino vaccini vaccinazione szczepienie szczepionka vaccinatie vaksin imunisasi chanjo 疫苗 接种 ワクチン 予防接種 백신
death: deces mort muertes mortes obitos todesfalle tod смерть смерти смертность وفيات وفاة 死亡
case: cas caso falle случаи случай حالات 病例
child: enfant nino crianca kinder kind дети детей اطفال 儿童
coverage: couverture cobertura durchimpfung охват تغطية 覆盖率
outbreak: flambee epidemie brote surto ausbruch вспышка вспышки تفشي 暴发
health: sante salud saude gesundheit здоровье صحة 健康
`
