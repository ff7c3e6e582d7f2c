extension HEIFBuilder {
  /// A file with pictures one after another, and no still picture.
  ///
  /// `delays` are in milliseconds, and `offsets` what is added to the time of each picture.
  static func sequence(
    _ pictures: [CodedPicture], alpha: CodedPicture? = nil, kind: String = "hvc1", delays: [Int] = [],
    offsets: [Int] = [], _ properties: [UInt8]...
  ) -> [UInt8] {
    sequence(
      pictures, alphas: alpha.map { [$0] } ?? [], kind: kind, tables: tables(delays, offsets), properties)
  }

  /// The same with a picture of alpha for each frame.
  static func sequence(_ pictures: [CodedPicture], alphas: [CodedPicture]) -> [UInt8] {
    sequence(pictures, alphas: alphas, kind: "hvc1", tables: [], [])
  }

  private static func sequence(
    _ pictures: [CodedPicture], alphas: [CodedPicture], kind: String, tables: [UInt8], _ properties: [[UInt8]]
  ) -> [UInt8] {
    let head = box("ftyp", Array("msf1\0\0\0\0msf1hevc".utf8))
    func movie(at place: Int) -> [UInt8] {
      let ends = place + pictures.reduce(0) { $0 + $1.slices.count }
      return box(
        "moov", track(pictures, kind, "pict", at: place, tables, properties),
        alphas.isEmpty ? [] : track(alphas, kind, "auxv", at: ends, [], []))
    }
    let place = head.count + movie(at: 0).count + 8
    return head + movie(at: place) + box("mdat", pictures.flatMap(\.slices), alphas.flatMap(\.slices))
  }

  private static func tables(_ delays: [Int], _ offsets: [Int]) -> [UInt8] {
    func table(_ kind: String, _ values: [Int]) -> [UInt8] {
      let entries = values.flatMap { number(1, 4) + number($0, 4) }
      return values.isEmpty ? [] : box(kind, number(0, 4), number(values.count, 4), entries)
    }
    return table("stts", delays) + table("ctts", offsets)
  }

  private static func track(
    _ pictures: [CodedPicture], _ kind: String, _ handler: String, at place: Int, _ times: [UInt8],
    _ properties: [[UInt8]]
  ) -> [UInt8] {
    let entry = box(
      kind, number(0, 24), number(64, 2), number(64, 2), number(0, 50), box("hvcC", pictures[0].parameters),
      properties.flatMap { $0 })
    let tables = box(
      "stbl", box("stsd", number(0, 4), number(1, 4), entry),
      box("stsc", number(0, 4), number(1, 4), number(1, 4), number(pictures.count, 4), number(1, 4)),
      box("stsz", number(0, 8), number(pictures.count, 4), pictures.flatMap { number($0.slices.count, 4) }),
      box("stco", number(0, 4), number(1, 4), number(place, 4)), times)
    return box(
      "trak", box("tkhd", number(0, 76), number(64 << 16, 4), number(64 << 16, 4)),
      box(
        "mdia", box("mdhd", number(0, 12), number(1000, 4), number(0, 8)),
        box("hdlr", number(0, 8), Array(handler.utf8), number(0, 13)), box("minf", tables)))
  }
}
