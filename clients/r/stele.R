# Reads what is published with Stele, from the address of a service or from a folder.
#
#     source("stele.R")
#     release <- stele_open("https://data.example.org")
#     for (found in stele_records(release, "signal")) cat(found$id, found$record$title, "\n")
#
# Nothing is handed out that was not verified: a file is read to its end and held to the SHA-256 in
# the manifest first, which takes memory for the file. Records that were retracted, or that nothing
# supports any more, are handed out only to those who ask for them with lost = TRUE. Numbers whose
# digits R would change, such as 0.050, compute as numbers do and keep their digits: see
# stele_digits. Only stele_verify_record checks signatures. No stability is promised, of this file or
# of any schema.
#
# It needs jsonlite, openssl or digest, and for addresses curl: R itself has no JSON, before 4.5 no
# SHA-256, and no way to keep a server from leading elsewhere. Who has httr has all three.
#
# Errors are conditions of the class stele_error, and of one of these:
#   stele_not_found    there is no such record, file or release
#   stele_lost         the record was retracted, or nothing supports it any more; found has it
#   stele_too_old      the release does not tell what changed since then: read all records
#   stele_damaged      something is not what the manifest says of it: the service is being updated,
#                      or it is damaged; who calls stele_update and asks again may have more luck
#   stele_refused      the service does or sends something that is not accepted
#   stele_unavailable  the service does not answer, or not with what was asked for; later it may

# stele_open opens the release at an address or in a folder. It reads the manifest.
#   time       seconds that one call waits for an address in all
#   bytes      that an address may send for one call; a file may have 2 GiB
#   redirects  whether an address may lead to another host
#   patience   seconds without progress after which to give up
#   pause      seconds before a request is repeated, at first
#   headers    named texts: lines that are sent to the host of the address, and to no other
#   curl       options of curl::new_handle, such as list(proxy = ..., cainfo = ...)
stele_open <- function(where, time = 3600, bytes = 2^32, redirects = FALSE, patience = 30, pause = 0.5,
                       headers = NULL, curl = list()) {
  release <- new.env(parent = emptyenv())
  class(release) <- "stele_release"
  release$files <- if (grepl("^https?://", where)) {
    .stele_service(where, time, bytes, redirects, patience, pause, headers, curl)
  } else if (grepl("^[A-Za-z][A-Za-z0-9+.-]+://", where)) {
    .stele_fail(
      "refused", sub("//[^/]*@", "//", where), ": this file does not read ", sub("://.*", "", where), "://: give the ",
      "https:// address at which the release is served, or make a copy with `stele mirror` and give its folder"
    )
  } else {
    .stele_folder(where)
  }
  .stele_named(release, .stele_next(release))
  release
}

# stele_update goes on to the newest release, and returns whether it is another one than before.
# Where it fails, everything is as it was.
stele_update <- function(release) {
  .stele_named(release, {
    release$files$renew()
    before <- release$id
    .stele_next(release)
    release$id != before
  })
}

# stele_records reads the records of a kind in their order, as a list; without those that are lost,
# unless asked for. Each has id, record, standing (NULL if it stands) and json, as it was published.
stele_records <- function(release, kind, lost = FALSE) {
  all <- list()
  stele_each(release, kind, function(found) all[[length(all) + 1L]] <<- found, lost)
  all
}

# stele_each hands them to a function instead, one after the other, so that not all are kept.
stele_each <- function(release, kind, each, lost = FALSE) {
  .stele_named(release, {
    release$files$renew()
    of <- .stele_kind(release, kind)
    if (is.null(of)) return(invisible(NULL)) # made before there was such a kind
    standings <- .stele_standings(release)
    lines <- .stele_read(release, of$collection)$records
    for (some in split(lines, (seq_along(lines) - 1) %/% 500)) {
      for (found in .stele_found(some, kind, standings)) {
        if (lost || !stele_is_lost(found$standing)) each(found)
      }
    }
    invisible(NULL)
  })
}

# stele_get reads the record with an ID.
stele_get <- function(release, kind, id, lost = FALSE) {
  .stele_named(release, {
    release$files$renew()
    of <- .stele_kind(release, kind)
    single <- if (is.null(of) || is.null(of$single)) "" else of$single
    line <- if (!is.null(of)) .stele_find(release, if (single != "") of$index else of$collection, id)
    if (!is.null(line) && single != "") {
      entry <- .stele_decode(line, of$index)
      path <- paste0(sub("\\{.*", "", single), id, sub(".*\\}", "", single))
      data <- .stele_listed(release$files$single(path))
      if (!isTRUE(.stele_digest(data) == entry$sha256)) {
        .stele_fail("damaged", path, " is not the record that its listing describes")
      }
      line <- .stele_text(data, path)
    }
    if (is.null(line)) .stele_fail("not_found", "there is no ", kind, " with the ID ", dQuote(id, FALSE))
    found <- .stele_found(line, kind, .stele_standings(release))[[1]]
    if (found$id != id) .stele_fail("damaged", "the record ", found$id, " stands where ", id, " should")
    if (!lost && stele_is_lost(found$standing)) {
      .stele_fail("lost", id, " is ", found$standing$standing, " since ", found$standing$since, ": lost = TRUE reads it",
        found = found
      )
    }
    found
  })
}

# stele_changes reads what came, changed or went in a kind since an earlier release, in its order. A
# record that changed twice comes twice, and the last one is how it is. One without a record is gone
# or, if it has a standing, lost and not asked for. That a record which did not change itself has
# another standing is in stele_standings alone.
stele_changes <- function(release, kind, since, lost = FALSE) {
  .stele_named(release, {
    release$files$renew()
    chain <- .stele_chain(release, kind, since)
    standings <- .stele_standings(release)
    all <- list()
    for (step in chain) {
      delta <- .stele_delta(release, kind, step)
      for (id in delta$removed) all[[length(all) + 1L]] <- list(id = id)
      for (found in .stele_found(delta$records, kind, standings)) {
        if (!lost && stele_is_lost(found$standing)) found <- found[c("id", "standing")]
        all[[length(all) + 1L]] <- found
      }
    }
    all
  })
}

# stele_standings reads the records that are not valid as they are, as a data frame. All others are valid.
stele_standings <- function(release) {
  .stele_named(release, {
    release$files$renew()
    all <- .stele_standings(release)
    column <- function(name) vapply(all, function(s) as.character(s[[name]]), "", USE.NAMES = FALSE)
    names <- c("id", "kind", "standing", "since", "cause", "noticed")
    table <- as.data.frame(lapply(stats::setNames(names, names), column))
    table$path <- unname(lapply(all, function(s) as.character(unlist(s$path))))
    table
  })
}

# stele_is_lost tells whether a record with a standing was retracted, or nothing supports it any more.
# stele_area reads the area of a statistic, which has the two arguments as ref_area_scheme and
# ref_area: a list with code, name, level, parent, valid_from, valid_to and names, where they are
# known, and with the lists predecessors and successors. Countries have none.
stele_area <- function(release, scheme, code) {
  .stele_named(release, {
    release$files$renew()
    path <- paste0("areas/", scheme, ".json")
    listed <- release$listed[[path]]
    if (is.null(listed)) .stele_fail("not_found", path, " is not in the release")
    table <- .stele_decode(.stele_text(.stele_listed(release$files$read(listed)), path), path)
    all <- table$codes
    names(all) <- vapply(all, function(c) c$code, "")
    if (!(code %in% names(all))) .stele_fail("not_found", "the scheme ", scheme, " has no area ", dQuote(code, FALSE))
    across <- function(one, other) {
      found <- unlist(lapply(Filter(function(c) identical(c[[one]], code), table$changes), function(c) c[[other]]))
      unname(all[intersect(setdiff(found, code), names(all))])
    }
    c(all[[code]], list(predecessors = across("to_code", "from_code"), successors = across("from_code", "to_code")))
  })
}

stele_is_lost <- function(standing) !is.null(standing) && standing$standing %in% c("retracted", "unsupported")

# stele_verify reads every collection, listing and delta, and the standings, and ends with an error if
# one is not what the manifest says. Pages and downloads are not read.
stele_verify <- function(release) {
  .stele_named(release, {
    release$files$renew()
    .stele_standings(release)
    for (of in release$manifest$kinds) {
      count <- length(.stele_read(release, of$collection, keep = FALSE)$records)
      if (count != of$count) .stele_fail("damaged", of$collection, " has ", count, " records, and not ", of$count)
      .stele_read(release, of$index, keep = FALSE)
      for (step in of$deltas) .stele_delta(release, of$kind, step)
    }
    invisible(TRUE)
  })
}

# stele_verify_record makes sure, offline, that a record is part of a signed release. Each of the first
# five arguments is the name of a file, or its content as a raw vector:
#   record      the record's own file, or its line in the collection without the comma at the end
#   index       the listing of its kind, such as index/signals.json
#   manifest    manifest.json
#   proof       manifest.json.tlog-proof
#   checkpoint  log/checkpoint
#   key         the public key of the publisher: NAME+NUMBER+BASE64
# It returns id, record, release, date, service and entry, the index of the release in the log. It
# fails with stele_damaged if the files do not fit together, and with stele_refused if the key did not
# sign. It follows no changes of keys, and does not show whether the record is still valid. It needs
# openssl.
stele_verify_record <- function(record, index, manifest, proof, checkpoint, key) {
  key <- .stele_key(key)
  files <- lapply(
    list(record = record, index = index, manifest = manifest, proof = proof, checkpoint = checkpoint),
    function(x) if (is.raw(x)) x else readBin(x, "raw", file.info(x)$size)
  )
  text <- Map(.stele_text, files, names(files))
  m <- .stele_decode(text$manifest, "manifest")
  kind <- .stele_indexed_kind(m, files$index)
  r <- .stele_decode(text$record, "record")
  if (!identical(r$kind, kind) || !.stele_is_listed(text$index, r$id, .stele_digest(files$record))) {
    .stele_fail("damaged", "the index does not list the record with its digest")
  }
  parts <- .stele_halves(text$proof, "proof")
  signed <- .stele_checkpoint(parts[2], "proof")
  latest <- .stele_checkpoint(text$checkpoint, "checkpoint")
  found <- .stele_root(parts[1], .stele_leaf(m, files$manifest), signed$size)
  if (!identical(found$root, signed$root)) {
    .stele_fail("damaged", "the proof does not lead from the manifest to the checkpoint in it")
  }
  if (signed$size > latest$size || signed$size == latest$size && !identical(signed$root, latest$root)) {
    .stele_fail("damaged", "the checkpoint does not continue the log of the proof")
  }
  for (point in list(signed, latest)) {
    if (point$name != key$name || !.stele_is_signed(point, key)) {
      .stele_fail("refused", "the key of ", key$name, " did not sign the log of ", point$name)
    }
  }
  list(id = r$id, record = r, release = m$release, date = m$date, service = m$base_url, entry = found$entry)
}

# stele_digits returns a number as its author wrote it.
stele_digits <- function(x) if (is.null(attr(x, "digits"))) sprintf("%.15g", x) else attr(x, "digits")

as.character.stele_number <- function(x, ...) stele_digits(x)
format.stele_number <- function(x, ...) stele_digits(x)
print.stele_number <- function(x, ...) invisible(print(stele_digits(x), quote = FALSE))
Ops.stele_number <- function(e1, e2) {
  plain <- function(x) if (inherits(x, "stele_number")) as.numeric(x) else x
  if (missing(e2)) get(.Generic)(plain(e1)) else get(.Generic)(plain(e1), plain(e2))
}
Math.stele_number <- function(x, ...) get(.Generic)(as.numeric(x), ...)
Summary.stele_number <- function(..., na.rm = FALSE) do.call(.Generic, c(lapply(list(...), as.numeric), na.rm = na.rm))

print.stele_release <- function(x, ...) cat("release", x$id, "of", x$date, "\n")

# What follows is not for others.

.stele_format <- 3 # the newest form of release that this file reads
.stele_most_manifest <- 16 * 2^20
.stele_most_line <- 64 * 2^20
.stele_standing <- "index/standing.json"

.stele_fail <- function(class, ..., found = NULL) {
  stop(structure(list(message = paste0(...), call = NULL, found = found),
    class = c(paste0("stele_", class), "stele_error", "error", "condition")
  ))
}

# .stele_named lets errors name the address or the folder.
.stele_named <- function(release, act) {
  tryCatch(act, stele_error = function(e) {
    if (is.null(e$where)) {
      e$where <- release$files$where
      e$message <- paste0(e$where, ": ", conditionMessage(e))
    }
    stop(e)
  })
}

.stele_digest <- function(data) {
  if (requireNamespace("openssl", quietly = TRUE)) return(as.vector(as.character(openssl::sha256(data))))
  if (requireNamespace("digest", quietly = TRUE)) return(digest::digest(data, "sha256", serialize = FALSE))
  .stele_fail("refused", "digests cannot be checked: install.packages(\"openssl\")")
}

# .stele_next reads the manifest, unless it is the one that was read before.
.stele_next <- function(release) {
  data <- release$files$manifest()
  if (is.null(data)) return(invisible(NULL))
  m <- .stele_manifest(data)
  release$manifest <- m
  release$id <- m$release
  release$date <- m$date
  release$listed <- stats::setNames(m$files, vapply(m$files, function(f) f$path, ""))
  release$kept <- new.env(parent = emptyenv()) # lists of records that were verified, by path
  release$places <- new.env(parent = emptyenv()) # the IDs of their lines, by path
  release$standings <- NULL
  release$files$begin()
}

.stele_kind <- function(release, name) Find(function(k) k$kind == name, release$manifest$kinds)

# .stele_read reads a list of records, and verifies it.
.stele_read <- function(release, path, keep = TRUE) {
  if (!is.null(release$kept[[path]])) return(release$kept[[path]])
  listed <- release$listed[[path]]
  if (is.null(listed)) .stele_fail("damaged", path, " is not in the manifest")
  text <- .stele_text(.stele_listed(release$files$read(listed)), path)
  lines <- strsplit(text, "\n", fixed = TRUE)[[1]]
  n <- length(lines)
  if (n < 2 || !endsWith(lines[1], ":[")) .stele_fail("damaged", path, " does not begin as a list of records does")
  if (lines[n] != "]}" || !endsWith(text, "\n")) .stele_fail("damaged", path, " does not end as a list of records does")
  all <- list(head = lines[1], records = sub(",$", "", lines[-c(1, n)]))
  if (keep) release$kept[[path]] <- all
  all
}

# .stele_listed reads a file that the release lists: that it is not there does not say that a record
# is not.
.stele_listed <- function(data) {
  tryCatch(data, stele_not_found = function(e) .stele_fail("damaged", conditionMessage(e), ", which lists it"))
}

.stele_text <- function(data, path) {
  force(data) # its errors are not of text
  text <- tryCatch(rawToChar(data), error = function(e) .stele_fail("damaged", path, " has bytes that are no text"))
  Encoding(text) <- "UTF-8"
  if (!validUTF8(text)) .stele_fail("damaged", path, " has bytes that are no text")
  text
}

# .stele_find returns the line with an ID, or NULL.
.stele_find <- function(release, path, id) {
  lines <- .stele_read(release, path)$records
  if (is.null(release$places[[path]])) {
    at <- regexpr("^\\{\"id\":\"[A-Za-z0-9._~-]+\"", lines, perl = TRUE)
    ids <- substring(lines, 8, attr(at, "match.length") - 1)
    for (i in which(at < 0)) ids[i] <- as.character(.stele_decode(lines[i], path)$id)
    release$places[[path]] <- ids
  }
  place <- match(id, release$places[[path]])
  if (is.na(place)) NULL else lines[place]
}

# .stele_standings returns them by their IDs.
.stele_standings <- function(release) {
  if (is.null(release$standings)) {
    all <- list()
    if (!is.null(release$listed[[.stele_standing]])) {
      lines <- .stele_read(release, .stele_standing)$records
      if (length(lines)) all <- .stele_decode_all(lines, .stele_standing)
      names(all) <- vapply(all, function(s) .stele_valid_id(s$id, .stele_standing), "")
    }
    release$standings <- all
  }
  release$standings
}

# .stele_chain returns the deltas that lead from an earlier release to this one.
.stele_chain <- function(release, kind, since) {
  of <- .stele_kind(release, kind)
  if (!is.null(of) && since == release$id) return(list())
  order <- vapply(release$manifest$earlier, function(e) e$release, "")
  from <- match(since, order)
  reach <- if (is.null(of$since)) NA else match(of$since, order)
  if (is.null(of) || is.na(from) || is.na(reach) || from < reach) {
    .stele_fail("too_old", "the release does not tell what changed in ", kind, " since ", since)
  }
  Filter(function(d) match(d$from, order) >= from, of$deltas)
}

.stele_delta <- function(release, kind, step) {
  lines <- .stele_read(release, step$path, keep = FALSE)
  head <- .stele_decode(paste0(lines$head, "]}"), step$path)
  if (!identical(head$kind, kind) || !identical(head$from, step$from) || !identical(head$before, step$before)) {
    .stele_fail("damaged", step$path, " leads from another collection than the manifest says")
  }
  if (!identical(as.numeric(head$count), as.numeric(length(lines$records)))) {
    .stele_fail("damaged", step$path, " has other records than it counts")
  }
  list(removed = vapply(head$removed, .stele_valid_id, "", step$path), records = lines$records)
}

# .stele_found returns the records that lines have, with their standings.
.stele_found <- function(lines, kind, standings) {
  if (length(lines) == 0) return(list())
  records <- .stele_decode_all(lines, kind)
  Map(function(record, line) {
    id <- .stele_valid_id(record$id, kind)
    if (!identical(record$kind, kind)) .stele_fail("damaged", id, " is not of the kind ", kind)
    list(id = id, record = record, standing = standings[[id]], json = line)
  }, records, unname(lines))
}

.stele_string <- "\"[^\"\\\\]*+(?:\\\\.[^\"\\\\]*+)*+\""
.stele_token <- paste0(.stele_string, "(*SKIP)(*FAIL)|-?(?:0|[1-9][0-9]*+)(?:\\.[0-9]++)?(?:[eE][+-]?[0-9]++)?")
.stele_mark <- "\001digits "

# .stele_decode returns the object that a text has.
.stele_decode <- function(text, path) .stele_decode_all(trimws(text), path)[[1]]

# .stele_decode_all returns the objects that lines have, an object in each. Numbers whose digits would
# change are put into quotation marks with a mark before them.
.stele_decode_all <- function(lines, path) {
  tryCatch(
    {
      .stele_check_objects(lines)
      at <- gregexpr(.stele_token, lines, perl = TRUE)
      tokens <- regmatches(lines, at)
      each <- unlist(tokens)
      changed <- sprintf("%.15g", as.numeric(each)) != each
      marked <- unique(rep(seq_along(tokens), lengths(tokens))[changed])
      each[changed] <- paste0("\"\\u0001digits ", each[changed], "\"")
      tokens <- split(each, factor(rep(seq_along(tokens), lengths(tokens)), seq_along(tokens)))
      for (i in marked) regmatches(lines[i], at[i]) <- tokens[i]
      values <- jsonlite::fromJSON(paste0("[", paste(lines, collapse = ","), "]"), simplifyVector = FALSE)
      if (length(values) != length(lines)) stop("a line has more than an object")
      values[marked] <- lapply(values[marked], .stele_numbers)
      values
    },
    error = function(e) .stele_fail("damaged", path, ": ", conditionMessage(e))
  )
}

# .stele_check_objects makes sure that each line can be an object by itself, and no deep one.
.stele_check_objects <- function(lines) {
  brackets <- gsub(paste0(.stele_string, "|[^][{}\"]++"), "", lines, perl = TRUE)
  opens <- nchar(gsub("[]}]", "", brackets))
  closed <- startsWith(lines, "{") & endsWith(lines, "}") & opens * 2 == nchar(brackets)
  if (!all(closed) || any(grepl("\"", brackets, fixed = TRUE))) stop("something else than an object")
  for (b in brackets[opens > 500]) {
    depth <- cumsum(ifelse(charToRaw(b) %in% charToRaw("[{"), 1, -1))
    if (max(depth) > 500) stop("it is nested too deeply")
  }
}

.stele_numbers <- function(value) {
  if (is.list(value)) {
    value[] <- lapply(value, .stele_numbers)
  } else if (is.character(value) && startsWith(value, .stele_mark)) {
    digits <- substring(value, nchar(.stele_mark) + 1)
    value <- structure(as.numeric(digits), digits = digits, class = "stele_number")
  }
  value
}

.stele_is_path <- function(text) {
  if (!is.character(text) || length(text) != 1 || is.na(text) || nchar(text, "bytes") > 1024) return(FALSE)
  segments <- strsplit(paste0(text, "/"), "/", fixed = TRUE)[[1]]
  length(segments) %in% 1:32 && !endsWith(text, "/") &&
    all(grepl("^[A-Za-z0-9._~-]+\\z", segments, perl = TRUE) & nchar(segments) < 256 & segments != "." &
      !grepl("..", segments, fixed = TRUE))
}

.stele_valid_id <- function(id, path) {
  if (!.stele_is_path(id) || grepl("/", id, fixed = TRUE)) {
    .stele_fail("damaged", path, ": ", substr(paste(format(id), collapse = " "), 1, 80), " is not an ID")
  }
  id
}

# .stele_manifest reads a manifest, and refuses what cannot be one.
.stele_manifest <- function(data) {
  tryCatch(
    {
      m <- .stele_decode(.stele_text(data, "manifest.json"), "manifest.json")
      if (!is.character(m$format) || !grepl("^stele-release/[1-9][0-9]{0,8}\\z", m$format, perl = TRUE)) {
        stop("manifest.json does not describe a release of Stele")
      }
      if (as.numeric(sub(".*/", "", m$format)) > .stele_format) {
        stop("the release was made by a newer version of Stele: update this file")
      }
      .stele_check_manifest(m)
      m
    },
    error = function(e) .stele_fail("refused", conditionMessage(e))
  )
}

.stele_check_manifest <- function(m) {
  must <- function(ok, ...) if (!isTRUE(ok)) stop("manifest.json ", ...)
  is_date <- function(text) is.character(text) && grepl("^[0-9]{4}-[0-9]{2}-[0-9]{2}\\z", text, perl = TRUE)
  is_pinned <- function(f) {
    is.numeric(f$size) && f$size >= 0 && f$size <= 2^40 && is.character(f$sha256) &&
      grepl("^[0-9a-f]{64}\\z", f$sha256, perl = TRUE)
  }
  .stele_valid_id(m$release, "manifest.json")
  must(is_date(m$date), "has no date")
  order <- vapply(m$earlier, function(e) {
    must(is_date(e$date), "has an earlier release without a date")
    .stele_valid_id(e$release, "manifest.json")
  }, "")
  must(length(m$files) > 0, "lists no files")
  for (f in m$files) {
    must(.stele_is_path(f$path) && f$path != "manifest.json", "lists what is no path: ", substr(format(f$path), 1, 80))
    must(is_pinned(f) && all(vapply(f$variants, is_pinned, NA)), "has no size and digest of ", f$path)
  }
  paths <- vapply(m$files, function(f) f$path, "")
  must(identical(paths, unique(sort(paths, method = "radix"))), "lists files twice or not in order")
  names <- vapply(m$kinds, function(k) as.character(k$kind), "")
  named <- grepl("^[a-z0-9_]{1,64}\\z", names, perl = TRUE)
  must(all(named) && !anyDuplicated(names), "has kinds twice, or without names")
  for (k in m$kinds) {
    must(k$collection %in% paths && k$index %in% paths, "does not list the files of ", k$kind)
    must(is.numeric(k$count) && k$count >= 0, "does not count ", k$kind)
    if (!is.null(k$single)) {
      pattern <- grepl("^[^{}]*\\{[a-z0-9_]{1,64}\\}[^{}]*\\z", k$single, perl = TRUE)
      must(pattern && .stele_is_path(sub("\\{.*\\}", "x", k$single)), "has no path of single records of ", k$kind)
    }
    must(is.null(k$since) || k$since %in% order, "has deltas of ", k$kind, " since no earlier release")
    steps <- vapply(k$deltas, function(d) match(d$from, order), 0L)
    ordered <- !anyNA(steps) && all(diff(steps) > 0) && !is.null(k$since)
    must(length(steps) == 0 || ordered && match(k$since, order) <= steps[1], "has deltas of ", k$kind, " out of order")
    must(all(vapply(k$deltas, function(d) d$path %in% paths, NA)), "does not list the deltas of ", k$kind)
  }
}

.stele_verified <- function(data, listed) {
  if (length(data) == listed$size && .stele_digest(data) == listed$sha256) return(data)
  .stele_fail(
    "damaged", listed$path, " is not what the manifest says of it: the service is being updated, or it is damaged"
  )
}

# .stele_folder has the files of a release in a folder.
.stele_folder <- function(folder) {
  single <- function(path, most = .stele_most_line) {
    file <- file.path(folder, path)
    size <- file.info(file, extra_cols = FALSE)$size
    if (is.na(size)) .stele_fail("not_found", path, " is not in ", folder)
    if (utils::file_test("-d", file) || size > most) .stele_fail("damaged", path, " is no ordinary file of that size")
    readBin(file, "raw", size + 1)
  }
  list(
    where = folder,
    renew = function() NULL,
    begin = function() NULL,
    manifest = function() single("manifest.json", .stele_most_manifest),
    single = single,
    read = function(listed) .stele_verified(single(listed$path, listed$size), listed)
  )
}

# .stele_service has the files of a release at an address.
.stele_service <- function(where, time, bytes, redirects, patience, pause, lines, options) {
  if (!requireNamespace("curl", quietly = TRUE)) {
    .stele_fail("refused", "addresses need curl: install.packages(\"curl\")")
  }
  base <- .stele_split(where)
  s <- new.env(parent = emptyenv())
  s$by_hash <- TRUE
  s$tag <- s$following <- character() # by which to ask whether the manifest is another, and that of the next
  renew <- function() s$waited <- s$taken <- 0

  take <- function(size) {
    s$taken <- s$taken + size
    if (s$taken > bytes) .stele_fail("refused", "the service sends more than is read from one: ", bytes, " bytes")
  }

  wait <- function(seconds) {
    s$waited <- s$waited + seconds
    if (s$waited > time) .stele_fail("unavailable", "the service took longer than ", time, " seconds in all")
  }

  # reads an answer, and no more than a byte more than there should be
  ask_once <- function(url, headers, accepted, most) {
    h <- curl::new_handle(useragent = "stele-client-r")
    do.call(curl::handle_setopt, c(list(h), options))
    curl::handle_setopt(h,
      followlocation = FALSE, accept_encoding = accepted, connecttimeout = max(1, ceiling(patience)),
      low_speed_limit = max(1, floor(32768 / patience)), low_speed_time = max(1, ceiling(patience)),
      timeout_ms = max(1, ceiling(1000 * (time - s$waited)))
    )
    if (.stele_is_own(base, .stele_split(url))) {
      headers <- c(lines, headers, if (base$user != "") c(Authorization = base$user))
    }
    curl::handle_setheaders(h, .list = as.list(headers))
    con <- curl::curl(url, open = "", handle = h)
    on.exit(close(con))
    parts <- list()
    size <- 0
    began <- proc.time()[["elapsed"]]
    answer <- tryCatch(
      {
        open(con, "rbf") # also where the status is that of an error
        while (size <= most && length(part <- readBin(con, "raw", 65536)) > 0) {
          parts[[length(parts) + 1L]] <- part
          size <- size + length(part)
        }
        curl::handle_data(h)
      },
      error = function(e) e
    )
    wait(proc.time()[["elapsed"]] - began)
    if (inherits(answer, "error")) {
      text <- conditionMessage(answer)
      if (grepl("certificate|SSL peer", text)) {
        .stele_fail("refused", "the service does not have a certificate for its name: ", text)
      }
      return(list(broken = text, stalled = grepl("time|slow", text, ignore.case = TRUE)))
    }
    data <- if (length(parts)) do.call(c, parts) else raw()
    list(status = answer$status_code, headers = curl::parse_headers_list(answer$headers), data = data)
  }

  # follows redirects within a host: a service could lead to the machine itself, or to others that
  # only it can reach
  ask_led <- function(name, headers, accepted, most) {
    url <- paste0(base$url, "/", name)
    for (n in 0:10) {
      answer <- ask_once(url, headers, accepted, most)
      if (!isTRUE(answer$status %in% c(301, 302, 303, 307, 308))) return(answer)
      url <- .stele_join(url, answer$headers$location)
      to <- tryCatch(.stele_split(url), stele_error = function(e) NULL)
      if (is.null(to) || !redirects && !.stele_is_own(base, to)) {
        .stele_fail(
          "refused", "the service leads to another host, ", if (is.null(to)) sub("[?#].*", "", url) else to$origin,
          ": give that address if you trust it, or redirects = TRUE"
        )
      }
    }
    .stele_fail("refused", name, ": the service leads in a circle, or nowhere")
  }

  # asks for a file, and again if that may help
  ask <- function(name, headers, accepted, most) {
    for (n in 0:3) {
      rest <- pause * 2^n
      answer <- ask_led(name, headers, accepted, most)
      if (is.null(answer$broken)) {
        status <- answer$status
        if (status == 200 || status == 304 && length(headers) > 1) return(answer)
        if (status %in% c(404, 410)) .stele_fail("not_found", name, " is not in the release")
        asked <- .stele_retry_after(answer$headers$`retry-after`)
        text <- paste0(name, ": the service answered ", status)
        if (asked > 20) text <- paste0(text, ", and asks to wait ", round(asked), " seconds: try again then")
        if (!(status == 429 || status >= 500) || status == 501 || asked > 20 || n == 3) .stele_fail("unavailable", text)
        rest <- max(rest, asked)
      } else if (n == 3 || n > 0 && answer$stalled) {
        .stele_fail("unavailable", name, ": ", answer$broken)
      }
      wait(rest)
      Sys.sleep(rest)
    }
  }

  # a host may answer with a page, and a status of 200, for what it does not have
  content <- function(answer, name) {
    begin <- tolower(rawToChar(Filter(function(b) b != 0, utils::head(answer$data, 14))))
    if (begin == "<!doctype html" || startsWith(begin, "<html")) {
      .stele_fail("not_found", name, " is not in the release")
    }
    answer$data
  }

  list(
    where = base$url,
    renew = renew,
    begin = function() {
      s$tag <- s$following
      s$by_hash <- TRUE # there may be others than before
    },
    manifest = function() {
      if (is.null(s$waited)) renew()
      headers <- c("Cache-Control" = "no-cache", s$tag)
      missing <- function(e) .stele_fail("not_found", "there is no release here: manifest.json is missing")
      data <- tryCatch(
        {
          answer <- ask("manifest.json", headers, "gzip", .stele_most_manifest)
          if (answer$status == 304) return(NULL)
          content(answer, "manifest.json")
        },
        stele_not_found = missing
      )
      if (length(data) > .stele_most_manifest) .stele_fail("refused", "manifest.json is larger than 16 MiB")
      h <- answer$headers
      # within the second in which it was sent, it may have changed again
      settled <- isTRUE(.stele_date(h$date) - .stele_date(h$`last-modified`) >= 2)
      s$following <- if (!is.null(h$etag)) {
        c("If-None-Match" = h$etag)
      } else if (settled) {
        c("If-Modified-Since" = h$`last-modified`)
      }
      data
    },
    single = function(path) {
      data <- content(ask(path, character(), "gzip", .stele_most_line), path)
      take(length(data))
      data
    },
    read = function(listed) {
      take(listed$size)
      if (s$by_hash) {
        # by its digest first, because a host that is being updated may have another at the path
        small <- listed
        for (v in listed$variants) if (identical(v$encoding, "gzip") && v$size < small$size) small <- v
        data <- tryCatch(
          {
            got <- ask(paste0("by-hash/", small$sha256), character(), "identity", small$size)$data
            .stele_verified(if (is.null(small$encoding)) got else .stele_unzipped(got, listed$size), listed)
          },
          stele_not_found = function(e) NULL, stele_damaged = function(e) NULL
        )
        if (!is.null(data)) return(data)
        s$by_hash <- FALSE
      }
      .stele_verified(content(ask(listed$path, character(), "gzip", listed$size), listed$path), listed)
    }
  )
}

# .stele_unzipped decodes gzip, up to a byte more than there should be.
.stele_unzipped <- function(data, most) {
  con <- gzcon(rawConnection(data))
  on.exit(close(con))
  tryCatch(suppressWarnings(readBin(con, "raw", most + 1)), error = function(e) {
    .stele_fail("damaged", "what the service sends cannot be decoded: ", conditionMessage(e))
  })
}

# .stele_split takes an address apart. A user and a password are written nowhere.
.stele_split <- function(where) {
  form <- "^(https?)://(([^/?#@]*)@)?(\\[[0-9A-Fa-f:.]+\\]|[^][/?#@:[:space:]]+)(:([0-9]+))?(/[^?#]*)?$"
  parts <- regmatches(where, regexec(form, where))[[1]]
  if (length(parts) == 0) {
    .stele_fail("refused", "this is not the address of a service: write https://host or https://host/path")
  }
  user <- ""
  if (parts[4] != "") {
    pair <- sub("^([^:]*):?", "\\1\t", parts[4])
    pair <- paste(vapply(strsplit(paste0(pair, " "), "\t")[[1]], curl::curl_unescape, ""), collapse = ":")
    user <- paste("Basic", gsub("\n", "", jsonlite::base64_enc(charToRaw(sub(" $", "", pair)))))
  }
  origin <- paste0(parts[2], "://", parts[5], parts[6])
  list(scheme = parts[2], host = tolower(parts[5]), port = parts[7], user = user, origin = origin,
    url = paste0(origin, sub("/+$", "", parts[8])))
}

.stele_is_own <- function(base, to) {
  upgrade <- base$scheme == "http" && to$scheme == "https" && base$port == "" && to$port == ""
  base$host == to$host && (base$scheme == to$scheme && base$port == to$port || upgrade)
}

# .stele_join is the address that one leads to from another.
.stele_join <- function(url, location) {
  if (is.null(location)) return("")
  if (grepl("^[A-Za-z][A-Za-z0-9+.-]*:", location)) return(location)
  if (startsWith(location, "//")) return(paste0(sub("//.*", "", url), location))
  if (startsWith(location, "/")) return(paste0(sub("^(https?://[^/]*).*", "\\1", url), location))
  paste0(sub("[^/]*$", "", url), location)
}

.stele_retry_after <- function(text) {
  if (is.null(text)) return(0)
  if (grepl("^[0-9]{1,9}\\z", text, perl = TRUE)) return(as.numeric(text))
  seconds <- .stele_date(text) - as.numeric(Sys.time())
  if (is.na(seconds)) 0 else max(0, seconds)
}

# .stele_date is a date of HTTP in seconds, or NA. Its names of months are English anywhere.
.stele_date <- function(text) {
  if (is.null(text)) return(NA_real_)
  form <- "^[A-Za-z]+, ([0-9]{2}) ([A-Z][a-z]{2}) ([0-9]{4}) ([0-9:]{8}) GMT$"
  parts <- regmatches(text, regexec(form, text))[[1]]
  if (length(parts) == 0) return(NA_real_)
  day <- paste(parts[4], match(parts[3], month.abb), parts[2], parts[5])
  as.numeric(as.POSIXct(day, format = "%Y %m %d %H:%M:%S", tz = "UTC"))
}

# What follows is for stele_verify_record.

# .stele_indexed_kind returns the kind whose listing has these bytes.
.stele_indexed_kind <- function(m, index) {
  pinned <- c(length(index), .stele_digest(index))
  for (f in m$files) {
    if (!identical(c(format(f$size, scientific = FALSE), f$sha256), pinned)) next
    for (k in m$kinds) if (identical(k$index, f$path)) return(k$kind)
  }
  .stele_fail("damaged", "the manifest does not list the index")
}

# .stele_is_listed reports whether an index lists an ID with a digest.
.stele_is_listed <- function(index, id, digest) {
  for (line in grep(digest, strsplit(index, "\n", fixed = TRUE)[[1]], fixed = TRUE, value = TRUE)) {
    entry <- .stele_decode(sub(",$", "", line), "index")
    if (is.character(id) && identical(entry$id, id) && identical(entry$sha256, digest)) return(TRUE)
  }
  FALSE
}

# .stele_leaf returns the entry of the log for a manifest.
.stele_leaf <- function(m, manifest) {
  previous <- if (is.null(m$previous)) "none" else m$previous$release
  words <- list(m$base_url, m$release, m$date, previous)
  if (!all(vapply(words, function(w) is.character(w) && length(w) == 1, NA))) {
    .stele_fail("damaged", "the manifest does not have the form of a manifest")
  }
  charToRaw(enc2utf8(paste0(
    "stele-release/1\nservice ", words[[1]], "\nrelease ", words[[2]], "\ndate ", words[[3]], "\nprevious ", words[[4]],
    "\nmanifest ", .stele_digest(manifest), " ", format(length(manifest), scientific = FALSE), "\n"
  )))
}

# .stele_halves splits a text at its first empty line.
.stele_halves <- function(text, what) {
  at <- regexpr("\n\n", text, fixed = TRUE)
  if (at < 0) .stele_fail("damaged", "the ", what, " has no empty line")
  c(substring(text, 1, at - 1), substring(text, at + 2))
}

# .stele_exact decodes base64, and accepts only its standard form.
.stele_exact <- function(text, size = NA) {
  data <- tryCatch(openssl::base64_decode(text), error = function(e) raw(), warning = function(e) raw())
  if (!length(data) || !identical(openssl::base64_encode(data), text) || !is.na(size) && length(data) != size) {
    .stele_fail("damaged", "a line of the proof or of the checkpoint is not valid base64")
  }
  data
}

.stele_count <- function(text) {
  if (!grepl("^(0|[1-9][0-9]{0,14})\\z", text, perl = TRUE)) {
    .stele_fail("damaged", "the proof or the checkpoint has something else than a number")
  }
  as.numeric(text)
}

# .stele_checkpoint reads the state of a log, and the signatures with its name.
.stele_checkpoint <- function(text, what) {
  halves <- .stele_halves(text, what)
  lines <- strsplit(halves[1], "\n", fixed = TRUE)[[1]]
  if (length(lines) != 3 || !endsWith(halves[1], lines[3]) || !endsWith(halves[2], "\n")) {
    .stele_fail("damaged", "the ", what, " does not have the lines of a checkpoint and a signature")
  }
  begin <- paste0("\u2014 ", lines[1], " ")
  signatures <- strsplit(halves[2], "\n", fixed = TRUE)[[1]]
  signatures <- signatures[startsWith(signatures, begin)]
  list(
    name = lines[1], size = .stele_count(lines[2]), root = .stele_exact(lines[3], 32),
    text = charToRaw(paste0(halves[1], "\n")),
    signatures = lapply(substring(signatures, nchar(begin) + 1), .stele_exact)
  )
}

.stele_sha256 <- function(...) as.raw(strtoi(substring(.stele_digest(c(...)), 1:32 * 2 - 1, 1:32 * 2), 16L))

# .stele_root returns the index of a leaf according to a proof, and the root hash that follows (RFC
# 9162, section 2.1.3.2).
.stele_root <- function(head, leaf, size) {
  lines <- strsplit(paste0(head, "\n"), "\n", fixed = TRUE)[[1]]
  if (length(lines) > 1 && startsWith(lines[2], "extra ")) {
    extra <- .stele_exact(substring(lines[2], 7))
    if (!grepl("^(rollback-from|unpublished) [!-~]+\n\\z", .stele_text(extra, "proof"), perl = TRUE)) {
      .stele_fail("damaged", "the proof has an unknown line")
    }
    leaf <- c(leaf, extra)
    lines <- lines[-2]
  }
  if (length(lines) < 2 || lines[1] != "c2sp.org/tlog-proof@v1" || !startsWith(lines[2], "index ")) {
    .stele_fail("damaged", "the proof does not begin as one does")
  }
  entry <- first <- .stele_count(substring(lines[2], 7))
  last <- size - 1
  node <- .stele_sha256(as.raw(0), leaf)
  if (first > last) .stele_fail("damaged", "the log does not have the entry of the proof")
  for (line in lines[-(1:2)]) {
    sibling <- .stele_exact(line, 32)
    if (last == 0) .stele_fail("damaged", "the proof continues after the root")
    if (first %% 2 == 1 || first == last) {
      node <- .stele_sha256(as.raw(1), sibling, node)
      while (first %% 2 == 0 && first > 0) {
        first <- first %/% 2
        last <- last %/% 2
      }
    } else {
      node <- .stele_sha256(as.raw(1), node, sibling)
    }
    first <- first %/% 2
    last <- last %/% 2
  }
  list(entry = entry, root = if (last == 0) node)
}

# .stele_key returns the name of a key, its number, and the public key.
.stele_key <- function(text) {
  if (!requireNamespace("openssl", quietly = TRUE)) {
    .stele_fail("refused", "signatures cannot be checked: install.packages(\"openssl\")")
  }
  parts <- regmatches(text, regexec("^[[:space:]]*([^+]+)[+]([0-9a-f]{8})[+]([A-Za-z0-9+/=]+)[[:space:]]*$", text))[[1]]
  data <- tryCatch(.stele_exact(parts[4], 33), error = function(e) raw())
  number <- .stele_sha256(charToRaw(paste0(parts[2], "\n")), data)[1:4]
  if (!length(data) || data[1] != 1 || paste(number, collapse = "") != parts[3]) {
    .stele_fail("refused", "this is not a public key of a log: it is one line, such as data.example.org+4b3c2d1e+AX...")
  }
  list(name = parts[2], number = number, public = data[-1])
}

# .stele_is_signed reports whether one of the signatures of a checkpoint is valid for a key.
.stele_is_signed <- function(point, key) {
  for (s in point$signatures) {
    if (length(s) != 68 || !identical(s[1:4], key$number)) next
    is_valid <- tryCatch(
      openssl::ed25519_verify(point$text, s[-(1:4)], openssl::read_ed25519_pubkey(key$public)),
      error = function(e) FALSE
    )
    if (isTRUE(is_valid)) return(TRUE)
  }
  FALSE
}
