import EaselCore

extension ImageCoderContract {
  func checkSizes(_ sample: ImageSample, _ findings: Findings<Rule>) {
    guard let header = try? coder.probe(sample.imageBytes, work: WorkContext()) else { return }
    let full = header.uprightSize
    for options in Self.scalingOptions(for: full) {
      let expected = options.targetSize(for: header)
      let what = "\(sample.name) of \(full) in \(options.thumbnailSize.map { "\($0)" } ?? "bytes")"
      let image = findings.attempt(.sizesFollowTheRules, what) { try decode(sample.imageBytes, options) }
      guard let image else { continue }
      findings.require(image.size == expected, .sizesFollowTheRules, "\(what) is \(image.size), not \(expected).")
      findings.require(
        image.traits.contains(.thumbnail) == (image.size != full), .sizesFollowTheRules,
        "\(what) does not say rightly whether it is a thumbnail.")
      findings.require(
        image.metadata.storedSize == header.storedSize, .sizesFollowTheRules,
        "\(what) says that \(image.metadata.storedSize) were stored.")
    }
  }

  private static func scalingOptions(for full: PixelSize) -> [DecodeOptions] {
    let boxes = [
      PixelSize(width: 1, height: 1), PixelSize(width: 3, height: 2), PixelSize(width: 2, height: 1000),
      PixelSize(width: 1000, height: 2), PixelSize(width: 0, height: 5), full,
      PixelSize(width: full.width * 2, height: full.height * 2),
      PixelSize(width: max(1, full.width - 1), height: max(1, full.height / 2)),
    ]
    var all: [DecodeOptions] = []
    for box in boxes {
      for preservesAspectRatio in [true, false] {
        var options = DecodeOptions()
        options.thumbnailSize = box
        options.preservesAspectRatio = preservesAspectRatio
        all.append(options)
      }
    }
    for bytes in [1, 4, full.area * 2, full.area * 4, full.area * 100] {
      var options = DecodeOptions()
      options.scaleDownLimitBytes = bytes
      all.append(options)
    }
    return all
  }

  func checkOrientation(_ sample: ImageSample, _ findings: Findings<Rule>) {
    guard let header = try? coder.probe(sample.imageBytes, work: WorkContext()) else { return }
    var options = DecodeOptions()
    options.appliesOrientation = false
    guard let upright = try? decode(sample.imageBytes), let raw = try? decode(sample.imageBytes, options) else {
      return findings.add(.orientationIsAppliedOnce, "\(sample.name) cannot be decoded both ways.")
    }
    findings.require(
      upright.metadata.orientation == .up, .orientationIsAppliedOnce,
      "\(sample.name) was set upright and still says \(upright.metadata.orientation).")
    findings.require(
      raw.size == header.storedSize && raw.metadata.orientation == header.orientation, .orientationIsAppliedOnce,
      "\(sample.name) left as stored is \(raw.size) and says \(raw.metadata.orientation).")
    guard upright.size == header.uprightSize, raw.size == header.storedSize else { return }
    let (turned, stored) = (upright.bitmap.colors(at: upright.size), raw.bitmap.colors(at: raw.size))
    let isRight = turned.indices.allSatisfy { index in
      let place = header.orientation.storedPosition(
        x: index % upright.size.width, y: index / upright.size.width, in: header.storedSize)
      return turned[index] == stored[place.y * header.storedSize.width + place.x]
    }
    findings.require(isRight, .orientationIsAppliedOnce, "\(sample.name) is not turned as \(header.orientation) says.")
  }
}

extension ImageCoderContract {
  func checkLeastSize(_ sample: ImageSample, _ findings: Findings<Rule>) {
    guard let header = try? coder.probe(sample.imageBytes, work: WorkContext()) else { return }
    for (share, appliesOrientation) in [(1, true), (2, true), (3, false), (4, true), (1000, true)] {
      var options = DecodeOptions()
      options.appliesOrientation = appliesOrientation
      let full = options.targetSize(for: header)
      let least = PixelSize(width: max(1, full.width / share), height: max(1, full.height / share))
      options.leastSize = least
      let what = "\(sample.name) of \(full), of which \(least) suffice,"
      guard let image = findings.attempt(.leastSizeSuffices, what, { try decode(sample.imageBytes, options) })
      else { continue }
      let size = image.size
      findings.require(
        size.width >= least.width && size.height >= least.height && size.width <= full.width
          && size.height <= full.height,
        .leastSizeSuffices, "\(what) is \(size).")
      // Sides are whole numbers, so the ratio may be off by less than a pixel.
      findings.require(
        abs(size.width * full.height - size.height * full.width) <= max(full.width, full.height),
        .leastSizeSuffices, "\(what) is \(size), which is another ratio.")
      findings.require(
        image.traits.contains(.thumbnail) == (size != full), .leastSizeSuffices,
        "\(what) does not say rightly whether it is a thumbnail.")
    }
  }
}
