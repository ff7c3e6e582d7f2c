/// Options that decide how the answer is sent.
extension ImgproxyOption {
  static let delivery: [ImgproxyOption] = [
    ImgproxyOption("cachebuster", "cb", arguments: "text", help: "Keeps results apart that are otherwise the same.") {
      draft, given throws(ServiceError) in
      let text = given.values.joined(separator: ":")
      guard text.utf8.count <= 200 else { throw given.wrong(nil, "at most 200 characters") }
      draft.order.cacheBuster = text.isEmpty ? nil : text
    },
    ImgproxyOption(
      "cache_tags", "ct", arguments: "tag:tag", help: "Tags by which the result can be purged, sent as Cache-Tag too."
    ) {
      draft, given throws(ServiceError) in
      var tags: [String] = []
      for value in given.values where !value.isEmpty {
        guard let tag = PercentText.decoded(value), SourceTags.isTag(tag), tags.count < SourceTags.most else {
          throw given.wrong(value, "at most \(SourceTags.most) tags of visible ASCII without commas")
        }
        if !tags.contains(tag) { tags.append(tag) }
      }
      draft.order.cacheTags = tags
    },
    ImgproxyOption(
      "expires", "exp", arguments: "seconds",
      help: "The time from which the address is not valid, in seconds since 1970."
    ) {
      draft, given throws(ServiceError) in
      try given.requireAtMost(1)
      let time = try given.integer(0, 0...253_402_300_799) ?? 0
      draft.order.expires = time == 0 ? nil : time
    },
    ImgproxyOption(
      "filename", "fn", arguments: "name:is_base64", help: "The name under which browsers store the picture."
    ) {
      draft, given throws(ServiceError) in
      try given.requireAtMost(2)
      draft.order.fileName =
        try given.flag(1) ?? false ? given.encodedText(0) : given[0].flatMap { PercentText.decoded($0) }
    },
    ImgproxyOption("return_attachment", "att", arguments: "1", help: "Lets browsers store the picture and not show it.")
    {
      draft, given throws(ServiceError) in
      try given.requireAtMost(1)
      draft.order.isAttachment = try given.flag(0) ?? false
    },
    ImgproxyOption(
      "fallback_image_url", "fiu", arguments: "base64",
      help: "The source of the picture to send if this one cannot be had."
    ) {
      draft, given throws(ServiceError) in draft.order.fallbackSource = try given.encodedText(0)
    },
  ]
}
