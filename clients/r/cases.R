# Runs the table of cases: cases.R CASES FOLDERS ADDRESS FIRST, and writes what comes of each as JSON.

arguments <- commandArgs(trailingOnly = TRUE)
here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
source(file.path(here, "stele.R"), encoding = "UTF-8")
first <- arguments[4]

show <- function(f) {
  if (is.null(f$record)) return(if (is.null(f$standing)) paste0("-", f$id) else paste0(f$id, "!", f$standing$standing))
  paste0(f$id, "@", f$record$version, if (!is.null(f$standing)) paste0(":", f$standing$standing))
}
all_of <- function(found) paste(vapply(found, show, ""), collapse = " ")

step <- function(release, do) {
  do <- unlist(do)
  lost <- do[length(do)] == "lost"
  switch(do[1],
    records = all_of(stele_records(release, do[2], lost)),
    get = {
      found <- stele_get(release, do[2], do[3], lost)
      stopifnot(jsonlite::fromJSON(found$json)$id == do[3])
      show(found)
    },
    changes = all_of(stele_changes(release, do[2], sub("@first", first, do[3]), lost)),
    digits = {
      value <- stele_get(release, do[2], do[3])$record[[do[4]]]
      if (is.numeric(value)) stopifnot(abs(value) * 2 > max(value), is.null(attr(value + 1, "digits")))
      if (is.numeric(value)) stele_digits(value) else value
    },
    standing = {
      s <- subset(stele_standings(release), id == do[2])
      if (nrow(s)) paste(s$standing, s$since) else "stands"
    },
    area = {
      r <- stele_get(release, do[2], do[3])$record
      a <- stele_area(release, r$ref_area_scheme, r$ref_area)
      codes <- function(list) paste(vapply(list, function(c) c$code, ""), collapse = " ")
      paste0(a$code, " ", a$name, ": ", codes(a$predecessors), " > ", codes(a$successors))
    },
    update = if (stele_update(release)) "yes" else "no",
    verify = if (stele_verify(release)) "ok"
  )
}

attempt <- function(do) {
  tryCatch(do,
    stele_error = function(e) paste0(sub("^stele_", "", class(e)[1]), "\t", conditionMessage(e)),
    error = function(e) paste0("error\t", conditionMessage(e))
  )
}

run <- function(case) {
  where <- paste0(sub("//", paste0("//", case$user), arguments[3], fixed = TRUE), "/", case$trick)
  if (startsWith(case$trick, "folder ")) where <- file.path(arguments[2], sub("folder ", "", case$trick))
  if (startsWith(case$trick, "address ")) where <- sub("address ", "", case$trick)
  release <- attempt(stele_open(where, time = 60, patience = 1, pause = 0.01, headers = unlist(case$headers)))
  if (is.character(release)) return(list(release))
  lapply(case$do, function(do) attempt(step(release, do)))
}

cases <- jsonlite::fromJSON(arguments[1], simplifyVector = FALSE)
cases <- Filter(function(c) !("r" %in% unlist(c$without)), cases)
names(cases) <- vapply(cases, function(c) c$name, "")
writeLines(enc2utf8(as.character(jsonlite::toJSON(lapply(cases, run), auto_unbox = TRUE))), useBytes = TRUE)
