import EaselBenchmarkHarness

/// All cases.
///
/// Each group has a file in Cases and a line here.
func allCases() -> [BenchmarkCase] {
  [
    selfCheckCases(),
    lockedCases(),
    contextCases(),
    keyCases(),
    memoryCases(),
    diskCases(),
    sharedCases(),
    resizeCases(),
    visualScoreCases(),
    cancellationCases(),
    managerCases(), urgentCases(),
    encodedCases(), tracingCases(),
    pngCases(),
    curlCases(),
    jpegCases(),
    webpCases(),
    avifCases(), tiffCases(), heifCases(), jxlCases(), svgCases(), basicCases(),
    gifCases(),
    probeCases(),
    encodeCases(),
    transformerCases(),
    playbackCases(),
    thumbnailCases(),
    sandboxCases(),
    fileJobCases(),
    conversionJobCases(),
    arrivalCases(),
    urlJobCases(),
    thumborCases(),
  ].flatMap { $0 }
}
