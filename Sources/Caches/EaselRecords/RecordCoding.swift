import CEaselRecords
import EaselCore
import FoundationEssentials

/// Encodes and decodes records.
///
/// Each part has its own checksum, because SQLite does not detect every flipped bit.
package enum RecordCoding {
  /// Encodes a record without its response, which is renewed separately.
  ///
  /// A store that keeps the key beside the record does not need the key's digest in the record.
  package static func encode(_ record: CacheRecord, isBesideItsKey: Bool = false) -> [UInt8] {
    sealed { writer in
      writer.write(record.stored)
      writer.write(record.generation)
      writer.write(record.mimeType) { $0.write($1) }
      writer.write(record.extendedData) { $0.write($1) }
      // Most records lack these parts, so that earlier versions can read them.
      if let size = record.encodedSize { write(size, &writer) }
      if let digest = record.keyDigest, digest != 0, !isBesideItsKey { write(keyDigest: digest, &writer) }
      if let picture = record.picture { write(picture, &writer) }
    }
  }

  /// The byte that announces an encoded size.
  ///
  /// A picture begins with 0 or 1, so readers can tell the parts apart.
  private static let encodedSizeMark: UInt8 = 2
  /// The byte that announces the digest of a key.
  private static let keyDigestMark: UInt8 = 3

  private static func write(keyDigest digest: UInt64, _ writer: inout ByteWriter) {
    writer.write(byte: keyDigestMark)
    writer.write(digest)
  }

  private static func write(_ size: PixelSize, _ writer: inout ByteWriter) {
    writer.write(byte: encodedSizeMark)
    writer.write(size.width)
    writer.write(size.height)
  }

  private static func write(_ picture: CacheRecord.ImageProperties, _ writer: inout ByteWriter) {
    writer.write(picture.format?.mimeType) { $0.write($1) }
    writer.write(picture.storedSize.width)
    writer.write(picture.storedSize.height)
    writer.write(picture.orientation.rawValue)
    writer.write(picture.density) { writer, density in
      writer.write(density.horizontal.bitPattern)
      writer.write(density.vertical.bitPattern)
    }
    writer.writeCount(Int(picture.traits.rawValue))
    writer.write(picture.scaleFactor.bitPattern)
    writer.write(picture.loopCount) { $0.write($1) }
    writer.writeCount(picture.hasFinishedPixels ? 1 : 0)
  }

  package static func encode(_ response: CacheRecord.Response) -> [UInt8] {
    sealed { writer in
      writer.write(response.status)
      writer.write(response.requested)
      writer.write(response.received)
      for headers in [response.headers, response.varyingFields] {
        writer.writeCount(headers.fields.count)
        for field in headers.fields {
          writer.write(field.name)
          writer.write(field.value)
        }
      }
      writer.write(response.redirectedURL?.absoluteString) { $0.write($1) }
      writer.write(response.redirectsExpire) { $0.write($1) }
    }
  }

  /// Decodes a record; returns nil when a part of it is damaged.
  package static func decode(_ record: UnsafeRawBufferPointer, response: UnsafeRawBufferPointer?) -> CacheRecord? {
    do throws(ByteReader.Malformed) {
      var reader = try unsealed(record)
      var record = CacheRecord(
        stored: try reader.date(), generation: try reader.number(),
        mimeType: try reader.optional { reader throws(ByteReader.Malformed) in try reader.text() },
        response: try response.map(decode),
        extendedData: try reader.optional { reader throws(ByteReader.Malformed) in try reader.data() })
      if reader.nextByte == encodedSizeMark { record.encodedSize = try encodedSize(&reader) }
      if reader.nextByte == keyDigestMark { record.keyDigest = try keyDigest(&reader) }
      if !reader.isAtEnd { record.picture = try picture(&reader) }
      return record
    } catch {
      return nil
    }
  }

  private static func encodedSize(_ reader: inout ByteReader) throws(ByteReader.Malformed) -> PixelSize {
    _ = try reader.byte()
    let size = PixelSize(width: try reader.integer(), height: try reader.integer())
    // No encoder writes such sizes, and callers may calculate with them.
    guard !size.isEmpty, max(size.width, size.height) <= Int32.max else { throw ByteReader.Malformed() }
    return size
  }

  private static func keyDigest(_ reader: inout ByteReader) throws(ByteReader.Malformed) -> UInt64 {
    _ = try reader.byte()
    let digest = try reader.number()
    guard digest != 0 else { throw ByteReader.Malformed() }
    return digest
  }

  private static func picture(_ reader: inout ByteReader) throws(ByteReader.Malformed) -> CacheRecord.ImageProperties {
    // Any other byte announces a part that this version does not know.
    guard let mark = reader.nextByte, mark <= 1 else { throw ByteReader.Malformed() }
    let format = try reader.optional { reader throws(ByteReader.Malformed) in try reader.text() }
    let size = PixelSize(width: try reader.integer(), height: try reader.integer())
    guard let orientation = ImageMetadata.Orientation(rawValue: try reader.integer()) else {
      throw ByteReader.Malformed()
    }
    let density = try reader.optional { reader throws(ByteReader.Malformed) in
      ImageMetadata.Density(
        horizontal: Double(bitPattern: try reader.number()), vertical: Double(bitPattern: try reader.number()))
    }
    let traits = Image.Traits(rawValue: UInt8(truncatingIfNeeded: try reader.count()))
    let scaleFactor = Double(bitPattern: try reader.number())
    let loopCount = try reader.optional { reader throws(ByteReader.Malformed) in try reader.integer() }
    return CacheRecord.ImageProperties(
      format: format.map { ImageFormat(mimeType: $0) }, storedSize: size, orientation: orientation, density: density,
      traits: traits, scaleFactor: scaleFactor, loopCount: loopCount, hasFinishedPixels: try reader.count() != 0)
  }

  /// Decodes a single response; returns nil when it is damaged.
  package static func decodeResponse(_ bytes: UnsafeRawBufferPointer) -> CacheRecord.Response? { try? decode(bytes) }

  private static func decode(_ bytes: UnsafeRawBufferPointer) throws(ByteReader.Malformed) -> CacheRecord.Response {
    var reader = try unsealed(bytes)
    let status = try reader.integer()
    let (requested, received) = (try reader.date(), try reader.date())
    var response = CacheRecord.Response(
      status: status, headers: try headers(&reader), requested: requested, received: received,
      varyingFields: try headers(&reader))
    response.redirectedURL = try reader.optional { reader throws(ByteReader.Malformed) in try reader.text() }
      .flatMap { URL(string: $0) }
    response.redirectsExpire = try reader.optional { reader throws(ByteReader.Malformed) in try reader.date() }
    return response
  }

  private static func headers(_ reader: inout ByteReader) throws(ByteReader.Malformed) -> HTTPHeaders {
    var pairs: [(String, String)] = []
    for _ in 0..<(try reader.count()) { pairs.append((try reader.text(), try reader.text())) }
    return HTTPHeaders(pairs)
  }

  private static func sealed(_ body: (inout ByteWriter) -> Void) -> [UInt8] {
    var writer = ByteWriter()
    body(&writer)
    let content = writer.bytes
    var whole = ByteWriter()
    whole.write(content.withUnsafeBytes { easel_record_checksum($0.baseAddress, $0.count, 0) })
    return whole.bytes + content
  }

  private static func unsealed(_ bytes: UnsafeRawBufferPointer) throws(ByteReader.Malformed) -> ByteReader {
    var seal = ByteReader(bytes)
    let expected = try seal.number()
    let content = UnsafeRawBufferPointer(rebasing: bytes[8...])
    guard easel_record_checksum(content.baseAddress, content.count, 0) == expected else { throw ByteReader.Malformed() }
    return ByteReader(content)
  }
}

extension CacheRecord {
  /// The approximate memory that the record takes besides its own fields.
  package var approximateCost: Int {
    let fields = (response?.headers.fields ?? []) + (response?.varyingFields.fields ?? [])
    let texts = fields.reduce(mimeType?.utf8.count ?? 0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 64 }
    return texts + (extendedData?.count ?? 0)
  }
}
