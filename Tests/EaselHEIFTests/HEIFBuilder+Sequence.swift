extension HEIFBuilder {
  /// A file with pictures one after another, and no still picture.
  static func sequence(
    _ pictures: [CodedPicture], alpha: CodedPicture? = nil, kind: String = "hvc1", _ properties: [UInt8]...
  ) -> [UInt8] {
    let head = box("ftyp", Array("msf1\0\0\0\0msf1hevc".utf8))
    func movie(at place: Int) -> [UInt8] {
      let ends = place + pictures.reduce(0) { $0 + $1.slices.count }
      return box(
        "moov", track(pictures, kind, "pict", at: place, properties),
        alpha.map { track([$0], kind, "auxv", at: ends, []) } ?? [])
    }
    let place = head.count + movie(at: 0).count + 8
    return head + movie(at: place) + box("mdat", pictures.flatMap(\.slices), alpha?.slices ?? [])
  }

  private static func track(
    _ pictures: [CodedPicture], _ kind: String, _ handler: String, at place: Int, _ properties: [[UInt8]]
  ) -> [UInt8] {
    let entry = box(
      kind, number(0, 24), number(64, 2), number(64, 2), number(0, 50), box("hvcC", pictures[0].parameters),
      properties.flatMap { $0 })
    let tables = box(
      "stbl", box("stsd", number(0, 4), number(1, 4), entry),
      box("stsc", number(0, 4), number(1, 4), number(1, 4), number(pictures.count, 4), number(1, 4)),
      box("stsz", number(0, 8), number(pictures.count, 4), pictures.flatMap { number($0.slices.count, 4) }),
      box("stco", number(0, 4), number(1, 4), number(place, 4)))
    return box(
      "trak", box("tkhd", number(0, 76), number(64 << 16, 4), number(64 << 16, 4)),
      box("mdia", box("hdlr", number(0, 8), Array(handler.utf8), number(0, 13)), box("minf", tables)))
  }
}
