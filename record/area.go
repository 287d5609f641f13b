package record

import (
	"cmp"
	"strings"

	"stele/internal/base/schema"
)

// countries are the ISO 3166-1 and UN M49 codes of each country, joined: three letters, two
// letters, three digits.
const countries = `
ABWAW533 AFGAF004 AGOAO024 AIAAI660 ALAAX248 ALBAL008 ANDAD020 AREAE784 ARGAR032 ARMAM051 ASMAS016 ATAAQ010 ATFTF260 ATGAG028 AUSAU036 AUTAT040
AZEAZ031 BDIBI108 BELBE056 BENBJ204 BESBQ535 BFABF854 BGDBD050 BGRBG100 BHRBH048 BHSBS044 BIHBA070 BLMBL652 BLRBY112 BLZBZ084 BMUBM060 BOLBO068
BRABR076 BRBBB052 BRNBN096 BTNBT064 BVTBV074 BWABW072 CAFCF140 CANCA124 CCKCC166 CHECH756 CHLCL152 CHNCN156 CIVCI384 CMRCM120 CODCD180 COGCG178
COKCK184 COLCO170 COMKM174 CPVCV132 CRICR188 CUBCU192 CUWCW531 CXRCX162 CYMKY136 CYPCY196 CZECZ203 DEUDE276 DJIDJ262 DMADM212 DNKDK208 DOMDO214
DZADZ012 ECUEC218 EGYEG818 ERIER232 ESHEH732 ESPES724 ESTEE233 ETHET231 FINFI246 FJIFJ242 FLKFK238 FRAFR250 FROFO234 FSMFM583 GABGA266 GBRGB826
GEOGE268 GGYGG831 GHAGH288 GIBGI292 GINGN324 GLPGP312 GMBGM270 GNBGW624 GNQGQ226 GRCGR300 GRDGD308 GRLGL304 GTMGT320 GUFGF254 GUMGU316 GUYGY328
HKGHK344 HMDHM334 HNDHN340 HRVHR191 HTIHT332 HUNHU348 IDNID360 IMNIM833 INDIN356 IOTIO086 IRLIE372 IRNIR364 IRQIQ368 ISLIS352 ISRIL376 ITAIT380
JAMJM388 JEYJE832 JORJO400 JPNJP392 KAZKZ398 KENKE404 KGZKG417 KHMKH116 KIRKI296 KNAKN659 KORKR410 KWTKW414 LAOLA418 LBNLB422 LBRLR430 LBYLY434
LCALC662 LIELI438 LKALK144 LSOLS426 LTULT440 LUXLU442 LVALV428 MACMO446 MAFMF663 MARMA504 MCOMC492 MDAMD498 MDGMG450 MDVMV462 MEXMX484 MHLMH584
MKDMK807 MLIML466 MLTMT470 MMRMM104 MNEME499 MNGMN496 MNPMP580 MOZMZ508 MRTMR478 MSRMS500 MTQMQ474 MUSMU480 MWIMW454 MYSMY458 MYTYT175 NAMNA516
NCLNC540 NERNE562 NFKNF574 NGANG566 NICNI558 NIUNU570 NLDNL528 NORNO578 NPLNP524 NRUNR520 NZLNZ554 OMNOM512 PAKPK586 PANPA591 PCNPN612 PERPE604
PHLPH608 PLWPW585 PNGPG598 POLPL616 PRIPR630 PRKKP408 PRTPT620 PRYPY600 PSEPS275 PYFPF258 QATQA634 REURE638 ROURO642 RUSRU643 RWARW646 SAUSA682
SDNSD729 SENSN686 SGPSG702 SGSGS239 SHNSH654 SJMSJ744 SLBSB090 SLESL694 SLVSV222 SMRSM674 SOMSO706 SPMPM666 SRBRS688 SSDSS728 STPST678 SURSR740
SVKSK703 SVNSI705 SWESE752 SWZSZ748 SXMSX534 SYCSC690 SYRSY760 TCATC796 TCDTD148 TGOTG768 THATH764 TJKTJ762 TKLTK772 TKMTM795 TLSTL626 TONTO776
TTOTT780 TUNTN788 TURTR792 TUVTV798 TWNTW158 TZATZ834 UGAUG800 UKRUA804 UMIUM581 URYUY858 USAUS840 UZBUZ860 VATVA336 VCTVC670 VENVE862 VGBVG092
VIRVI850 VNMVN704 VUTVU548 WLFWF876 WSMWS882 YEMYE887 ZAFZA710 ZMBZM894 ZWEZW716`

// formerCountries are three-letter codes that older statistics need, and XKX, which is commonly
// used for Kosovo.
const formerCountries = "ANT CSK DDR SCG SUN XKX YUG"

// m49Regions are the UN M49 codes of the world and its regions.
const m49Regions = "001 002 003 005 009 011 013 014 015 017 018 019 021 029 030 034 035 039 053 054 057 061 142 143 145 150 151 154 155 202 419"

var areaCodes = func() map[AreaScheme]map[string]bool {
	iso, m49 := map[string]bool{}, map[string]bool{}
	for _, c := range strings.Fields(countries) {
		iso[c[:3]], iso[c[3:5]], m49[c[5:]] = true, true, true
	}
	for _, c := range strings.Fields(formerCountries) {
		iso[c] = true
	}
	for _, c := range strings.Fields(m49Regions) {
		m49[c] = true
	}
	return map[AreaScheme]map[string]bool{SchemeISO3166: iso, SchemeUNM49: m49}
}()

// countryOf maps all codes of a country to its three letters.
var countryOf = func() map[string]string {
	m := map[string]string{}
	for _, c := range strings.Fields(countries) {
		m[c[3:5]], m[c[5:]] = c[:3], c[:3]
	}
	return m
}()

// Key returns the same text for all codes of one area: the three letters of a country.
//
// The key of an area in a publisher's scheme begins with the name of the scheme: gss.E06000063.
func (scheme AreaScheme) Key(code string) string {
	switch country, ok := countryOf[code]; {
	case scheme.Own():
		return string(scheme) + "." + code
	case ok && scheme != SchemeEntity:
		return country
	}
	return code
}

// schemePattern matches the names of publishers' schemes.
const schemePattern = "^[a-z][a-z0-9_-]{0,39}$"

// Own reports whether the publisher defined the scheme in the settings.
func (scheme AreaScheme) Own() bool {
	return scheme != "" && areaCodes[scheme] == nil && scheme != SchemeEntity
}

// schemeProblem returns the fault of s as the name of a publisher's scheme and the remedy, or two
// empty texts if s is valid. It does not check whether the settings contain the name.
func schemeProblem(s string) (message, fix string) {
	for i, r := range cmp.Or(s, "-") {
		if !('a' <= r && r <= 'z' || i > 0 && ('0' <= r && r <= '9' || r == '_' || r == '-')) || i >= 40 {
			return schema.Quote(s) + " cannot be the name of a scheme", "write up to 40 small letters, digits, _ and -, such as gss"
		}
	}
	return "", ""
}

// otherCodes maps codes of other schemes to the ISO 3166 codes.
var otherCodes = map[string]string{
	"UK": "GB: UK is not an ISO 3166 code", "EL": "GR: EL is an EU code, not an ISO 3166 code",
	"EU":    "the ID of an entity, and set ref_area_scheme to entity: the European Union is not an ISO 3166 country",
	"WORLD": "\"001\" and set ref_area_scheme to un_m49", "KOSOVO": "XKX",
}

// areaProblem returns the remedy for an invalid code of a scheme, or "" for a valid code.
func areaProblem(scheme AreaScheme, code string) (fix string) {
	codes, ok := areaCodes[scheme]
	if !ok || codes[code] { // an unknown scheme is reported separately
		return ""
	}
	if country, part, ok := strings.Cut(code, "-"); ok && scheme == SchemeISO3166 && len(country) == 2 && codes[country] &&
		isSubdivision(part) {
		return ""
	}
	switch upper := strings.ToUpper(code); {
	case codes[upper]:
		return "write " + upper
	case scheme == SchemeISO3166 && otherCodes[upper] != "":
		return "write " + otherCodes[upper]
	case scheme == SchemeISO3166 && len(code) > 3 && !strings.ContainsAny(code, "0123456789-"):
		return "use the code, not the name: two or three letters, such as FRA for France"
	case scheme == SchemeISO3166 && areaCodes[SchemeUNM49][code]:
		return "that is a UN M49 code: set ref_area_scheme to un_m49"
	case scheme == SchemeUNM49 && areaCodes[SchemeISO3166][code]:
		return "that is an ISO 3166 code: set ref_area_scheme to iso3166"
	case scheme == SchemeUNM49 && len(code) < 3 && codes[strings.Repeat("0", 3-len(code))+code]:
		return "write " + strings.Repeat("0", 3-len(code)) + code
	case scheme == SchemeUNM49:
		return "write three digits, such as 001 for the world"
	}
	return "write the code of a country, such as FRA or FR, or of a part of one, such as US-CA"
}

// isSubdivision reports whether s can be the part after the hyphen of an ISO 3166-2 code.
func isSubdivision(s string) bool {
	return s != "" && len(s) <= 3 && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == ""
}
